"""Functions on images: `tf.image`."""

from runnel.ops.image.boxes.boxes import (
    combined_non_max_suppression as combined_non_max_suppression,
)
from runnel.ops.image.boxes.boxes import draw_bounding_boxes as draw_bounding_boxes
from runnel.ops.image.boxes.boxes import (
    generate_bounding_box_proposals as generate_bounding_box_proposals,
)
from runnel.ops.image.boxes.distorted import (
    sample_distorted_bounding_box as sample_distorted_bounding_box,
)
from runnel.ops.image.boxes.distorted import (
    stateless_sample_distorted_bounding_box as stateless_sample_distorted_bounding_box,
)
from runnel.ops.image.boxes.non_max_suppression import non_max_suppression as non_max_suppression
from runnel.ops.image.boxes.non_max_suppression import (
    non_max_suppression_overlaps as non_max_suppression_overlaps,
)
from runnel.ops.image.boxes.non_max_suppression import (
    non_max_suppression_padded as non_max_suppression_padded,
)
from runnel.ops.image.boxes.non_max_suppression import (
    non_max_suppression_with_scores as non_max_suppression_with_scores,
)
from runnel.ops.image.color import adjust_brightness as adjust_brightness
from runnel.ops.image.color import adjust_contrast as adjust_contrast
from runnel.ops.image.color import adjust_gamma as adjust_gamma
from runnel.ops.image.color import adjust_hue as adjust_hue
from runnel.ops.image.color import adjust_jpeg_quality as adjust_jpeg_quality
from runnel.ops.image.color import adjust_saturation as adjust_saturation
from runnel.ops.image.color import per_image_standardization as per_image_standardization
from runnel.ops.image.color_spaces import grayscale_to_rgb as grayscale_to_rgb
from runnel.ops.image.color_spaces import hsv_to_rgb as hsv_to_rgb
from runnel.ops.image.color_spaces import rgb_to_grayscale as rgb_to_grayscale
from runnel.ops.image.color_spaces import rgb_to_hsv as rgb_to_hsv
from runnel.ops.image.color_spaces import rgb_to_yiq as rgb_to_yiq
from runnel.ops.image.color_spaces import rgb_to_yuv as rgb_to_yuv
from runnel.ops.image.color_spaces import yiq_to_rgb as yiq_to_rgb
from runnel.ops.image.color_spaces import yuv_to_rgb as yuv_to_rgb
from runnel.ops.image.decode import decode_and_crop_jpeg as decode_and_crop_jpeg
from runnel.ops.image.decode import decode_bmp as decode_bmp
from runnel.ops.image.decode import decode_gif as decode_gif
from runnel.ops.image.decode import decode_image as decode_image
from runnel.ops.image.decode import decode_jpeg as decode_jpeg
from runnel.ops.image.decode import decode_jxl as decode_jxl
from runnel.ops.image.decode import decode_png as decode_png
from runnel.ops.image.decode import decode_webp as decode_webp
from runnel.ops.image.decode import extract_jpeg_shape as extract_jpeg_shape
from runnel.ops.image.decode import is_jpeg as is_jpeg
from runnel.ops.image.dtypes import convert_image_dtype as convert_image_dtype
from runnel.ops.image.encode import encode_jpeg as encode_jpeg
from runnel.ops.image.encode import encode_png as encode_png
from runnel.ops.image.flip import flip_left_right as flip_left_right
from runnel.ops.image.flip import flip_up_down as flip_up_down
from runnel.ops.image.flip import random_flip_left_right as random_flip_left_right
from runnel.ops.image.flip import random_flip_up_down as random_flip_up_down
from runnel.ops.image.flip import rot90 as rot90
from runnel.ops.image.flip import (
    stateless_random_flip_left_right as stateless_random_flip_left_right,
)
from runnel.ops.image.flip import stateless_random_flip_up_down as stateless_random_flip_up_down
from runnel.ops.image.flip import transpose as transpose
from runnel.ops.image.glimpses import extract_glimpse as extract_glimpse
from runnel.ops.image.metrics import image_gradients as image_gradients
from runnel.ops.image.metrics import psnr as psnr
from runnel.ops.image.metrics import sobel_edges as sobel_edges
from runnel.ops.image.metrics import ssim as ssim
from runnel.ops.image.metrics import ssim_multiscale as ssim_multiscale
from runnel.ops.image.metrics import total_variation as total_variation
from runnel.ops.image.patches import extract_patches as extract_patches
from runnel.ops.image.random_color import random_brightness as random_brightness
from runnel.ops.image.random_color import random_contrast as random_contrast
from runnel.ops.image.random_color import random_hue as random_hue
from runnel.ops.image.random_color import random_jpeg_quality as random_jpeg_quality
from runnel.ops.image.random_color import random_saturation as random_saturation
from runnel.ops.image.random_color import stateless_random_brightness as stateless_random_brightness
from runnel.ops.image.random_color import stateless_random_contrast as stateless_random_contrast
from runnel.ops.image.random_color import stateless_random_hue as stateless_random_hue
from runnel.ops.image.random_color import (
    stateless_random_jpeg_quality as stateless_random_jpeg_quality,
)
from runnel.ops.image.random_color import stateless_random_saturation as stateless_random_saturation
from runnel.ops.image.resize.crop import central_crop as central_crop
from runnel.ops.image.resize.crop import crop_to_bounding_box as crop_to_bounding_box
from runnel.ops.image.resize.crop import pad_to_bounding_box as pad_to_bounding_box
from runnel.ops.image.resize.crop import random_crop as random_crop
from runnel.ops.image.resize.crop import resize_with_crop_or_pad as resize_with_crop_or_pad
from runnel.ops.image.resize.crop import resize_with_pad as resize_with_pad
from runnel.ops.image.resize.crop import stateless_random_crop as stateless_random_crop
from runnel.ops.image.resize.crop_and_resize import crop_and_resize as crop_and_resize
from runnel.ops.image.resize.functions import ResizeMethod as ResizeMethod
from runnel.ops.image.resize.functions import resize as resize
