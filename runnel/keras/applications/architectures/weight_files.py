"""The files with Keras's weights, trained on ImageNet: where they are and their hashes."""

from __future__ import annotations

from runnel.keras.utils.downloads.downloading import get_file

_STORE = "https://storage.googleapis.com/tensorflow/keras-applications/"
_OLD_STORE = "https://storage.googleapis.com/keras-applications/"

# How the files of a family are called: with the classifier, and without.
_KERNELS = ("{}_weights_tf_dim_ordering_tf_kernels", "{}_weights_tf_dim_ordering_tf_kernels_notop")
_PLAIN = ("{}", "{}_notop")
_MOBILE = ("weights_{}", "weights_{}_no_top_v2")

_NAMES = {"mobilenet_v3": _MOBILE} | dict.fromkeys(
    ("densenet", "inception_resnet_v2", "inception_v3", "resnet", "vgg16", "vgg19", "xception"),
    _KERNELS,
)

# Family: each of its models, the hash of its file with the classifier, and the one without.
_HASHES = {
    "efficientnet": """
        efficientnetb0 902e53a9f72be733fc0bcb005b3ebbac 50bc09e76180e00e4465e1a485ddc09d
        efficientnetb1 1d254153d4ab51201f1646940f018540 74c4e6b3e1f6a1eea24c589628592432
        efficientnetb2 b15cce36ff4dcbd00b6dd88e7857a6ad 111f8e2ac8aa800a7a99e3239f7bfb39
        efficientnetb3 ffd1fdc53d0ce67064dc6a9c7960ede0 af6d107764bb5b1abb91932881670226
        efficientnetb4 18c95ad55216b8f92d7e70b3a046e2fc ebc24e6d6c33eaebbd558eafbeedf1ba
        efficientnetb5 ace28f2a6363774853a83a0b21b9421a 38879255a25d3c92d5e44e04ae6cec6f
        efficientnetb6 165f6e37dce68623721b423839de8be5 9ecce42647a20130c1f39a5d4cb75743
        efficientnetb7 8c03f828fec3ef71311cd463b6759d99 cbcfe4450ddf6f3ad90b1b398090fe4a
    """,
    "convnext": """
        convnext_tiny 8ae6e78ce2933352b1ef4008e6dd2f17bc40771563877d156bc6426c7cf503ff
            d547c096cabd03329d7be5562c5e14798aa39ed24b474157cef5e85ab9e49ef1
        convnext_small ce1277d8f1ee5a0ef0e171469089c18f5233860ceaf9b168049cb9263fd7483c
            6fc8009faa2f00c1c1dfce59feea9b0745eb260a7dd11bee65c8e20843da6eab
        convnext_base 52cbb006d3dadd03f6e095a8ca1aca47aecdd75acb4bc74bce1f5c695d0086e6
            40a20c5548a5e9202f69735ecc06c990e6b7c9d2de39f0361e27baeb24cb7c45
        convnext_large 070c5ed9ed289581e477741d3b34beffa920db8cf590899d6d2c67fba2a198a6
            96f02b6f0753d4f543261bc9d09bed650f24dd6bc02ddde3066135b63d23a1cd
        convnext_xlarge c1f5ccab661354fc3a79a10fa99af82f0fbf10ec65cb894a3ae0815f17a889ee
            de3f8a54174130e0cecdc71583354753d557fcf1f4487331558e2a16ba0cfe05
    """,
    "densenet": """
        densenet121 9d60b8095a5708f2dcce2bca79d332c7 30ee3e1110167f948a6b9946edeeb738
        densenet169 d699b8f76981ab1b30698df4c175e90b b8c4d4c20dd625c148057b9ff1c1176b
        densenet201 1ceb130c1ea1b78c3bf6114dbdfd8807 c13680b51ded0fb44dff2d8f86ac8bb1
    """,
    "efficientnet_v2": """
        efficientnetv2-b0 21ecbf6da12460d5c40bb2f29ceb2188 893217f2bb855e2983157299931e43ff
        efficientnetv2-b1 069f0534ff22adf035c89e2d9547a9dc 0e80663031ca32d657f9caa404b6ec37
        efficientnetv2-b2 424e49f28180edbde1e94797771950a7 1dfe2e7a5d45b6632553a8961ea609eb
        efficientnetv2-b3 1f1fc43bd98a6e4fd8fdfd551e02c7a0 f6abf7b5849ac99a89b50dd3fd532856
        efficientnetv2-s e1d88a8495beba45748fedd0cecbe016 af0682fb74e8c54910f2d4393339c070
        efficientnetv2-m a3bf6aa3276309f4fc6a34aa114c95cd 1b8dc055df72dde80d614482840fe342
        efficientnetv2-l 27e6d408b53c7ebc868fefa357689935 b0b66b5c863aef5b46e8608fe1711615
    """,
    "inception_resnet_v2": """
        inception_resnet_v2 e693bd0210a403b3192acc6073ad2e96 d19885ff4a710c122648d3b5c3b684e4
    """,
    "inception_v3": """
        inception_v3 9a0d58056eeedaa3f26cb7ebd46da564 bcbd6486424b2319ff4ef7d526e38f63
    """,
    "mobilenet_v3": """
        mobilenet_v3_large_224_0.75_float 765b44a33ad4005b3ac83185abf1d0eb
            40af19a13ebea4e2ee0c676887f69a2e
        mobilenet_v3_large_224_1.0_float 59e551e166be033d707958cf9e29a6a7
            07fb09a5933dd0c8eaafa16978110389
        mobilenet_v3_large_minimalistic_224_1.0_float 675e7b876c45c57e9e63e6d90a36599c
            ec5221f64a2f6d1ef965a614bdae7973
        mobilenet_v3_small_224_0.75_float cb65d4e5be93758266aa0a7f2c6708b7
            ebdb5cc8e0b497cd13a7c275d475c819
        mobilenet_v3_small_224_1.0_float 8768d4c2e7dee89b9d02b2d03d65d862
            d3e8ec802a04aa4fc771ee12a9a9b836
        mobilenet_v3_small_minimalistic_224_1.0_float 99cd97fb2fcdad2bf028eb838de69e37
            cde8136e733e811080d9fcd8a252f7e4
    """,
    "regnet": """
        regnetx002 49fb46e56cde07fdaf57bffd851461a86548f6a3a4baef234dd37290b826c0b8
            5445b66cd50445eb7ecab094c1e78d4d3d29375439d1a7798861c4af15ffff21
        regnetx004 3523c7f5ac0dbbcc2fd6d83b3570e7540f7449d3301cc22c29547302114e4088
            de139bf07a66c9256f2277bf5c1b6dd2d5a3a891a5f8a925a10c8a0a113fd6f3
        regnetx006 340216ef334a7bae30daac9f414e693c136fac9ab868704bbfcc9ce6a5ec74bb
            a43ec97ad62f86b2a96a783bfdc63a5a54de02eef54f26379ea05e1bf90a9505
        regnetx008 8f145d6a5fae6da62677bb8d26eb92d0b9dfe143ec1ebf68b24a57ae50a2763d
            3c7e4b0917359304dc18e644475c5c1f5e88d795542b676439c4a3acd63b7207
        regnetx016 31c386f4c7bfef4c021a583099aa79c1b3928057ba1b7d182f174674c5ef3510
            1b8e3d545d190271204a7b2165936a227d26b79bb7922bac5ee4d303091bf17a
        regnetx032 6c025df1409e5ea846375bc9dfa240956cca87ef57384d93fef7d6fa90ca8c7f
            9cd4522806c0fcca01b37874188b2bd394d7c419956d77472a4e072b01d99041
        regnetx040 ba128046c588a26dbd3b3a011b26cb7fa3cf8f269c184c132372cb20b6eb54c1
            b4ed0ca0b9a98e789e05000e830403a7ade4d8afa01c73491c44610195198afe
        regnetx064 0f4489c3cd3ad979bd6b0324213998bcb36dc861d178f977997ebfe53c3ba564
            3e706fa416a18dfda14c713423eba8041ae2509db3e0a611d5f599b5268a46c4
        regnetx080 76320e43272719df648db37271a247c22eb6e810fe469c37a5db7e2cb696d162
            7b1ce8e29ceefec10a6569640ee329dba7fbc98b5d0f6346aabade058b66cf29
        regnetx120 5cafc461b78897d5e4f24e68cb406d18e75f31105ef620e7682b611bb355eb3a
            36174ddd0299db04a42631d028abcb1cc7afec2b705e42bd28fcd325e5d596bf
        regnetx160 8093f57a5824b181fb734ea21ae34b1f7ee42c5298e63cf6d587c290973195d2
            9d1485050bdf19531ffa1ed7827c75850e0f2972118a996b91aa9264b088fd43
        regnetx320 91fb3e6f4e9e44b3687e80977f7f4412ee9937c0c704232664fc83e4322ea01e
            9db7eacc37b85c98184070e1a172e6104c00846f44bcd4e727da9e50d9692398
        regnety002 1e8091c674532b1a61c04f6393a9c570113e0197f22bd1b98cc4c4fe800c6465
            f63221f63d625b8e201221499682587bfe29d33f50a4c4f4d53be00f66c0f12c
        regnety004 752fdbad21c78911bf1dcb8c513e5a0e14697b068e5d9e73525dbaa416d18d8e
            45e6ba8309a17a77e67afc05228454b2e0ee6be0dae65edc0f31f1da10cc066b
        regnety006 98942e07b273da500ff9699a1f88aca78dfad4375faabb0bab784bb0dace80a9
            b70261cba4e60013c99d130cc098d2fce629ff978a445663b6fa4f8fc099a2be
        regnety008 1b099377cc9a4fb183159a6f9b24bc998e5659d25a449f40c90cbffcbcfdcae4
            b11f5432a216ee640fe9be6e32939defa8d08b8d136349bf3690715a98752ca1
        regnety016 b7ce1f5e223f0941c960602de922bcf846288ce7a4c33b2a4f2e4ac4b480045b
            d7404f50205e82d793e219afb9eb2bfeb781b6b2d316a6128c6d7d7dacab7f57
        regnety032 6a6a545cf3549973554c9b94f0cd40e25f229fffb1e7f7ac779a59dcbee612bd
            eb3ac1c45ec60f4f031c3f5180573422b1cf7bebc26c004637517372f68f8937
        regnety040 98d00118b335162bbffe8f1329e54e5c8e75ee09b2a5414f97b0ddfc56e796f6
            b5be2a5e5f072ecdd9c0b8a437cd896df0efa1f6a1f77e41caa8719b7dfcb05d
        regnety064 65c948c7a18aaecaad2d1bd4fd978987425604ba6669ef55a1faa0069a2804b7
            885c4b7ed7ea339daca7dafa1a62cb7d41b1068897ef90a5a3d71b4a2e2db31a
        regnety080 7a2c62da2982e369a4984d3c7c3b32d6f8d3748a71cb37a31156c436c37f3e95
            3d119577e1e3bf8d153b895e8ea9e4ec150ff2d92abdca711b6e949c3fd7115d
        regnety120 a96ab0d27d3ae35a422ee7df0d789069b3e3217a99334e0ce861a96595bc5986
            4a6fa387108380b730b71feea2ad80b5224b5ea9dc21dc156c93fe3c6186485c
        regnety160 45067240ffbc7ca2591313fee2f80dbdda6d66ec1a7451446f9a6d00d8f7ac6e
            ead1e6b568be8f34447ec8941299a9df4368736ba9a8205de5427fa20a1fb316
        regnety320 b05e173e4ae635cfa22d06392ee3741284d17dadfee68f2aa6fd8cb2b7561112
            cad78f74a586e24c61d38be17f3ae53bb9674380174d2585da1a526b8c20e1fd
    """,
    "resnet": """
        resnet50 2cb95161c43110f7111970584f804107 4d473c1dd8becc155b73f8504c6f6626
        resnet101 f1aeb4b969a6efcfb50fad2f0c20cfc5 88cf7a10940856eca736dc7b7e228a21
        resnet152 100835be76be38e30d865e96f2aaae62 ee4c566cf9a93f14d82f913c2dc6dd0c
        resnet50v2 3ef43a0b657b3be2300d5770ece849e0 fac2f116257151a9d068a22e544a4917
        resnet101v2 6343647c601c52e1368623803854d971 c0ed64b8031c3730f411d2eb4eea35b5
        resnet152v2 a49b44d1979771252814e80f8ec446f9 ed17cf2e0169df9d443503ef94b23b33
    """,
    "resnet_rs": """
        resnet-rs-101-i160 544b3434d00efc199d66e9058c7f3379 82d5b90c5ce9d710da639d6216d0f979
        resnet-rs-101-i192 eb285be29ab42cf4835ff20a5e3b5d23 f9a0f6b85faa9c3db2b6e233c4eebb5b
        resnet-rs-152-i192 8d72a301ed8a6f11a47c4ced4396e338 5fbf7ac2155cb4d5a6180ee9e3aa8704
        resnet-rs-152-i224 31a46a92ab21b84193d0d71dd8c3d03b dc8b2cba2005552eafa3167f00dc2133
        resnet-rs-152-i256 ba6271b99bdeb4e7a9b15c05964ef4ad fa79794252dbe47c89130f65349d654a
        resnet-rs-200-i256 a76930b741884e09ce90fa7450747d5f bbdb3994718dfc0d1cd45d7eff3f3d9c
        resnet-rs-270-i256 20d575825ba26176b03cb51012a367a8 2c42ecb22e35f3e23d2f70babce0a2aa
        resnet-rs-350-i256 f4a039dc3c421321b7fc240494574a68 6e44b55025bbdff8f51692a023143d66
        resnet-rs-350-i320 7ccb858cc738305e8ceb3c0140bee393 ab0c1f9079d2f85a9facbd2c88aa6079
        resnet-rs-420-i320 ae0eb9bed39e64fc8d7e0db4018dc7e8 fe6217c32be8305b1889657172b98884
        resnet-rs-50-i160 69d9d925319f00a8bdd4af23c04e4102 90daa68cd26c95aa6c5d25451e095529
    """,
    "vgg16": """
        vgg16 64373286793e3c8b2b4e3219cbf3544b 6d6bbae143d832006294945121d1f1fc
    """,
    "vgg19": """
        vgg19 cbe5617147190e668d6c5d5026f83318 253f8cb515780f3b799900260a226db6
    """,
    "xception": """
        xception 0a58e3b7378bc2990ea3b43d5981f1f6 b0042744bf5b25fce3cb969f33bebb97
    """,
}


def weights_file(family: str, model: str, include_top: bool) -> str:
    """The path of a model's weights in the cache, downloaded if they are not there."""
    name = _NAMES.get(family, _PLAIN)[not include_top].format(model) + ".h5"
    origin = _OLD_STORE + name if family == "efficientnet" else f"{_STORE}{family}/{name}"
    words = _HASHES[family].split()
    file_hash = words[words.index(model) + (1 if include_top else 2)]
    return get_file(name, origin, cache_subdir="models", file_hash=file_hash)


def unchecked_file(family: str, name: str) -> str:
    """The path of a file for which Keras knows no hash."""
    return get_file(name, f"{_STORE}{family}/{name}", cache_subdir="models")


def renamed_file(family: str, name: str, origin: str, file_hash: str) -> str:
    """The path of a file that is called otherwise in the store."""
    return get_file(name, f"{_STORE}{family}/{origin}", cache_subdir="models", file_hash=file_hash)
