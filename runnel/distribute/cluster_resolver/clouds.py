"""Resolvers that ask a service of a cloud, by the client library of that cloud."""

from __future__ import annotations

import enum
import importlib
from collections.abc import Mapping, Sequence
from typing import Any

from runnel.core.settings.device import list_logical_devices
from runnel.distribute.cluster_resolver.resolver import AskingResolver
from runnel.train.cluster_spec import ClusterSpec


def _client(module: str, resolver: str, package: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f"{resolver} asks its cloud by the package {package}, which is not installed: "
            f"pip install {package}"
        ) from error


class GCEClusterResolver(AskingResolver):
    """The machines of an instance group of Google Compute Engine.

    Args:
        project, zone, instance_group: which group.
        port: where each of them listens.
        task_type, task_id: which of them this process is.
        rpc_layer: the protocol in addresses.
        credentials, service: of Google's client; `service` stands for the whole of it.
    """

    def __init__(
        self,
        project: str,
        zone: str,
        instance_group: str,
        port: int,
        task_type: str = "worker",
        task_id: int = 0,
        rpc_layer: str = "grpc",
        credentials: Any = "default",
        service: Any = None,
    ) -> None:
        self._group = {"project": project, "zone": zone}
        self._name, self._port = instance_group, port
        self._task_type = task_type
        self.task_id, self.rpc_layer = task_id, rpc_layer
        if service is None:
            package = "google-api-python-client"
            discovery = _client("googleapiclient.discovery", type(self).__name__, package)
            if credentials == "default":
                auth = _client("google.auth", type(self).__name__, "google-auth")
                credentials, _ = auth.default()
            service = discovery.build("compute", "v1", credentials=credentials)
        self._service = service

    @property
    def task_type(self) -> str | None:  # type: ignore[override]
        """The job of all machines of the group."""
        return self._task_type

    @task_type.setter
    def task_type(self, task_type: str | None) -> None:
        raise RuntimeError(
            "GCEClusterResolver: the task_type cannot be changed; make another resolver."
        )

    def cluster_spec(self) -> ClusterSpec:
        groups, machines = self._service.instanceGroups(), self._service.instances()
        request = groups.listInstances(
            **self._group,
            instanceGroups=self._name,
            body={"instanceState": "RUNNING"},
            orderBy="name",
        )
        found = []
        while request is not None:
            answer = request.execute()
            for item in answer.get("items", ()):
                name = item["instance"].rpartition("/")[2]
                machine = machines.get(**self._group, instance=name).execute()
                found.append(f"{machine['networkInterfaces'][0]['networkIP']}:{self._port}")
            request = groups.listInstances_next(previous_request=request, previous_response=answer)
        return ClusterSpec({self._task_type: sorted(found)})


class KubernetesExecutableLocation(enum.Enum):
    """Where a program runs that asks Kubernetes."""

    WITHIN_CLUSTER = 0
    OFF_CLUSTER = 1


class KubernetesClusterResolver(AskingResolver):
    """The pods of a Kubernetes cluster that have some labels.

    Args:
        job_to_label_mapping: the selectors of each job's pods.
        tf_server_port: where each of them listens.
        rpc_layer: the protocol in addresses.
        override_client: a client of Kubernetes, in place of its package's.
        executable_location: where this program runs, which decides on the credentials.
    """

    def __init__(
        self,
        job_to_label_mapping: Mapping[str, Sequence[str]] | None = None,
        tf_server_port: int = 8470,
        rpc_layer: str = "grpc",
        override_client: Any = None,
        executable_location: Any = KubernetesExecutableLocation.WITHIN_CLUSTER,
    ) -> None:
        self._selectors = job_to_label_mapping or {"worker": ["job-name=tensorflow"]}
        self._port = tf_server_port
        self.task_type = self.task_id = None
        self.rpc_layer = rpc_layer
        if override_client is None:
            if not isinstance(executable_location, KubernetesExecutableLocation):
                raise ValueError(
                    "KubernetesClusterResolver: `executable_location` must be a "
                    f"KubernetesExecutableLocation, got {executable_location!r}."
                )
            kubernetes = _client("kubernetes", type(self).__name__, "kubernetes")
            inside = executable_location is KubernetesExecutableLocation.WITHIN_CLUSTER
            settings = kubernetes.config
            (settings.load_incluster_config if inside else settings.load_kube_config)()
            override_client = kubernetes.client.CoreV1Api()
        self._client = override_client

    def cluster_spec(self) -> ClusterSpec:
        return ClusterSpec(
            {
                job: [address for selector in selectors for address in self._pods(selector)]
                for job, selectors in self._selectors.items()
            }
        )

    def _pods(self, selector: str) -> list[str]:
        pods = self._client.list_pod_for_all_namespaces(label_selector=selector).items
        for pod in pods:
            if pod.status.phase != "Running":
                name, phase = pod.metadata.name, pod.status.phase
                raise RuntimeError(f'Pod "{name}" is not running; phase: "{phase}"')
        return [
            f"{pod.status.host_ip}:{self._port}"
            for pod in sorted(pods, key=lambda pod: pod.metadata.name)
        ]


class TPUClusterResolver(AskingResolver):
    """The TPUs of this host, which JAX finds by itself; others are not asked for.

    Args:
        tpu: "local" or nothing.
        zone, project, coordinator_name, coordinator_address, service, discovery_url: of services
            that are not asked.
        job_name: the job of this process.
        credentials: not needed.
    """

    def __init__(
        self,
        tpu: str | None = None,
        zone: str | None = None,
        project: str | None = None,
        job_name: str = "worker",
        coordinator_name: str | None = None,
        coordinator_address: str | None = None,
        credentials: Any = "default",
        service: Any = None,
        discovery_url: str | None = None,
    ) -> None:
        given = {
            "tpu": None if tpu in ("", "local") else tpu,
            "zone": zone,
            "project": project,
            "coordinator_name": coordinator_name,
            "coordinator_address": coordinator_address,
            "credentials": None if credentials == "default" else credentials,
            "service": service,
            "discovery_url": discovery_url,
        }
        for name, value in given.items():
            if value is not None:
                raise NotImplementedError(
                    f"TPUClusterResolver: {name}={value!r}; JAX finds the TPUs of this host."
                )
        if not list_logical_devices("TPU"):
            raise ValueError("TPUClusterResolver: this host has no TPU.")
        self.task_type, self.task_id = job_name, 0
        self.rpc_layer = "grpc"

    @property
    def environment(self) -> str:
        return ""

    def get_job_name(self) -> str | None:
        """The job of this process."""
        return self.task_type

    def get_master(self) -> str:
        """The address of a session's master, which is this process."""
        return self.master()

    def cluster_spec(self) -> ClusterSpec:
        return ClusterSpec({})

    def master(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
    ) -> str:
        return "local"
