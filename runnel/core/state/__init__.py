"""What has a state: variables, tables, queues, and the objects that own them."""
