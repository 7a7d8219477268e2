"""Scalar coefficients of exp, log and their tangents, free of small-angle loss.

Every function takes a square, ``t2 = theta**2`` (or ``s2 = s**2``), and gives a float. This is the only
module that divides by an angle. They are plain arithmetic on floats so that the same source runs in Python
and compiled.

`sinc` to `dd_sincc` use the even power series (exact rational coefficients) for small angles and a closed
form without cancellation beyond. `cotc` and its derivatives use the partial fractions of the cotangent,

    cotc = 2 sum_k 1 / ((2 k pi)^2 - t2),

with the first three poles kept and the rest summed as a power series in t2: all terms are positive, so
there is no cancellation anywhere on [0, 2 pi). Below half a radian, where beam elements live, a short power series in
two chains, which a processor works out at the same time, saves a third of the time of an element's strains.

A prefix ``d_`` means (d/dtheta)/theta = 2 d/dt2, ``dd_`` the same operator twice.
"""

import math

# The series read better unbroken.
# fmt: off


def sinc(t2: float) -> float:
    """Return sin(theta)/theta."""
    if t2 < 1.0:
        return (
            1.0 + t2 * (-1.0 / 6.0 + t2 * (1.0 / 120.0 + t2 * (-1.0 / 5040.0 + t2 * (
            1.0 / 362880.0 + t2 * (-1.0 / 39916800.0 + t2 * (1.0 / 6227020800.0 + t2 * (
            -1.0 / 1307674368000.0 + t2 * (1.0 / 355687428096000.0 + t2 * (
            -8.22063524662433e-18)))))))))
        )
    theta = math.sqrt(t2)
    return math.sin(theta) / theta


def cosc(t2: float) -> float:
    """Return (1 - cos(theta))/theta^2."""
    if t2 < 1.0:
        return (
            1.0 / 2.0 + t2 * (-1.0 / 24.0 + t2 * (1.0 / 720.0 + t2 * (-1.0 / 40320.0 + t2 * (
            1.0 / 3628800.0 + t2 * (-1.0 / 479001600.0 + t2 * (1.0 / 87178291200.0 + t2 * (
            -1.0 / 20922789888000.0 + t2 * (1.0 / 6402373705728000.0 + t2 * (
            -4.110317623312165e-19)))))))))
        )
    s = math.sin(0.5 * math.sqrt(t2))
    return 2.0 * s * s / t2


def sincc(t2: float) -> float:
    """Return (theta - sin(theta))/theta^3."""
    if t2 < 4.0:
        return (
            1.0 / 6.0 + t2 * (-1.0 / 120.0 + t2 * (1.0 / 5040.0 + t2 * (-1.0 / 362880.0 + t2 * (
            1.0 / 39916800.0 + t2 * (-1.0 / 6227020800.0 + t2 * (1.0 / 1307674368000.0 + t2 * (
            -1.0 / 355687428096000.0 + t2 * (8.22063524662433e-18 + t2 * (
            -1.9572941063391263e-20 + t2 * (3.868170170630684e-23 + t2 * (
            -6.446950284384474e-26)))))))))))
        )
    theta = math.sqrt(t2)
    return (theta - math.sin(theta)) / (theta * t2)


def d_cosc(t2: float) -> float:
    """Return (d cosc/d theta)/theta = (sinc - 2 cosc)/theta^2."""
    if t2 < 4.0:
        return (
            -1.0 / 12.0 + t2 * (1.0 / 180.0 + t2 * (-1.0 / 6720.0 + t2 * (1.0 / 453600.0 + t2 * (
            -1.0 / 47900160.0 + t2 * (1.0 / 7264857600.0 + t2 * (-1.0 / 1494484992000.0 + t2 * (
            1.0 / 400148356608000.0 + t2 * (-7.398571721961897e-18 + t2 * (
            1.7793582784901146e-20 + t2 * (-3.54582265641146e-23 + t2 * (
            5.951031031739514e-26 + t2 * (-8.527712016381578e-29))))))))))))
        )
    theta = math.sqrt(t2)
    s = math.sin(0.5 * theta)
    c = math.cos(0.5 * theta)
    return 2.0 * s * (theta * c - 2.0 * s) / (t2 * t2)


def d_sincc(t2: float) -> float:
    """Return (d sincc/d theta)/theta = (cosc - 3 sincc)/theta^2."""
    if t2 < 4.0:
        return (
            -1.0 / 60.0 + t2 * (1.0 / 1260.0 + t2 * (-1.0 / 60480.0 + t2 * (1.0 / 4989600.0 + t2 * (
            -1.0 / 622702080.0 + t2 * (1.0 / 108972864000.0 + t2 * (-1.0 / 25406244864000.0 + t2 * (
            1.0 / 7602818775552000.0 + t2 * (-3.523129391410427e-19 + t2 * (
            7.736340341261368e-22 + t2 * (-1.4183290625645841e-24 + t2 * (
            2.204085567310931e-27 + t2 * (-2.9405903504764064e-30))))))))))))
        )
    theta = math.sqrt(t2)
    s = math.sin(0.5 * theta)
    return (2.0 * s * s - 3.0 * (1.0 - math.sin(theta) / theta)) / (t2 * t2)


def dd_cosc(t2: float) -> float:
    """Return (d d_cosc/d theta)/theta = (sincc - cosc - 4 d_cosc)/theta^2."""
    if t2 < 9.0:
        return (
            1.0 / 90.0 + t2 * (-1.0 / 1680.0 + t2 * (1.0 / 75600.0 + t2 * (-1.0 / 5987520.0 + t2 * (
            1.0 / 726485760.0 + t2 * (-1.0 / 124540416000.0 + t2 * (1.0 / 28582025472000.0 + t2 * (
            -1.0 / 8447576417280000.0 + t2 * (3.2028449012822063e-19 + t2 * (
            -7.091645312822921e-22 + t2 * (1.309226826982693e-24 + t2 * (
            -2.046650883931579e-27 + t2 * (2.744550993777979e-30 + t2 * (
            -3.192328234077984e-33 + t2 * (3.251671234100315e-36))))))))))))))
        )
    theta = math.sqrt(t2)
    s = math.sin(0.5 * theta)
    c = math.cos(0.5 * theta)
    first = (theta - 2.0 * s * c) / theta - 2.0 * s * s
    return (first - 8.0 * s * (theta * c - 2.0 * s) / t2) / (t2 * t2)


def dd_sincc(t2: float) -> float:
    """Return (d d_sincc/d theta)/theta = (d_cosc - 5 d_sincc)/theta^2."""
    if t2 < 9.0:
        return (
            1.0 / 630.0 + t2 * (-1.0 / 15120.0 + t2 * (1.0 / 831600.0 + t2 * (
            -1.0 / 77837760.0 + t2 * (1.0 / 10897286400.0 + t2 * (-1.0 / 2117187072000.0 + t2 * (
            1.0 / 543058483968000.0 + t2 * (-5.6370070262566834e-18 + t2 * (
            1.3925412614270462e-20 + t2 * (-2.836658125129168e-23 + t2 * (
            4.848988248084048e-26 + t2 * (-7.057416841143375e-29 + t2 * (
            8.853390302509611e-32 + t2 * (-9.673721921448438e-35 + t2 * (
            9.290489240286615e-38))))))))))))))
        )
    theta = math.sqrt(t2)
    s = math.sin(0.5 * theta)
    c = math.cos(0.5 * theta)
    first = 2.0 * s * (theta * c - 2.0 * s)
    return (first - 5.0 * (2.0 * s * s - 3.0 * (1.0 - 2.0 * s * c / theta))) / (t2 * t2 * t2)


def cotc(t2: float) -> float:
    """Return (1 - (theta/2) cot(theta/2))/theta^2; a pole at 2 pi."""
    if t2 < 0.25:
        t4 = t2 * t2
        even = 1.0 / 12.0 + t4 * (3.306878306878307e-05 + t4 * (2.08767569878681e-08 + t4 * 1.3382536530684679e-11))
        odd = 1.0 / 720.0 + t4 * (8.267195767195768e-07 + t4 * (5.284190138687493e-10 + t4 * 3.3896802963225827e-13))
        return even + t2 * odd
    if t2 < 42.0:
        a = 39.47841760435743 - t2
        b = 157.91367041742973 - t2
        c = 355.3057584392169 - t2
        rest = (
            0.014378638910075684 + t2 * (9.595555480779425e-06 + t2 * (
            1.1257143383002609e-08 + t2 * (1.5388979565181073e-11 + t2 * (
            2.2473189650804104e-14 + t2 * (3.394356459763464e-17 + t2 * (
            5.2237546984822215e-20 + t2 * (8.127414828310521e-23 + t2 * (
            1.2728430480242656e-25 + t2 * (2.0014589986788544e-28 + t2 * (
            3.155044680287923e-31 + t2 * (4.981335263797585e-34 + t2 * (
            7.87255828451073e-37 + t2 * (1.2449683662508824e-39)))))))))))))
        )
        return 2.0 * (1.0 / a + 1.0 / b + 1.0 / c) + rest
    h = 0.5 * math.sqrt(t2)
    return (1.0 - h * math.cos(h) / math.sin(h)) / t2


def d_cotc(t2: float) -> float:
    """Return (d cotc/d theta)/theta."""
    if t2 < 0.25:
        t4 = t2 * t2
        even = 1.0 / 360.0 + t4 * (4.96031746031746e-06 + t4 * (5.2841901386874934e-09 + t4 * 4.745552414851616e-12))
        odd = 1.3227513227513228e-04 + t4 * (
            1.670140559029448e-07 + t4 * (1.6059043836821613e-10 + t4 * 1.3737699290044552e-13)
        )
        return even + t2 * odd
    if t2 < 42.0:
        a = 39.47841760435743 - t2
        b = 157.91367041742973 - t2
        c = 355.3057584392169 - t2
        rest = (
            1.919111096155885e-05 + t2 * (4.5028573532010434e-08 + t2 * (
            9.233387739108643e-11 + t2 * (1.7978551720643283e-13 + t2 * (
            3.394356459763464e-16 + t2 * (6.268505638178666e-19 + t2 * (
            1.137838075963473e-21 + t2 * (2.036548876838825e-24 + t2 * (
            3.602626197621938e-27 + t2 * (6.310089360575846e-30 + t2 * (
            1.0958937580354688e-32 + t2 * (1.889413988282575e-35 + t2 * (
            3.236917752252294e-38 + t2 * (5.514826059708319e-41)))))))))))))
        )
        return 4.0 * (1.0 / (a * a) + 1.0 / (b * b) + 1.0 / (c * c)) + rest
    h = 0.5 * math.sqrt(t2)
    s = math.sin(h)
    g = h * math.cos(h) / s
    q = h * h / (s * s)
    return (q + g - 2.0) / (t2 * t2)


def dd_cotc(t2: float) -> float:
    """Return (d d_cotc/d theta)/theta."""
    if t2 < 42.0:
        a = 39.47841760435743 - t2
        b = 157.91367041742973 - t2
        c = 355.3057584392169 - t2
        rest = (
            9.005714706402087e-08 + t2 * (3.6933550956434573e-10 + t2 * (
            1.078713103238597e-12 + t2 * (2.7154851678107713e-15 + t2 * (
            6.268505638178666e-18 + t2 * (1.3654056911561675e-20 + t2 * (
            2.851168427574355e-23 + t2 * (5.7642019161951e-26 + t2 * (
            1.1358160849036523e-28 + t2 * (2.1917875160709375e-31 + t2 * (
            4.156710774221665e-34 + t2 * (7.768602605405507e-37 + t2 * (
            1.433854775524163e-39 + t2 * (2.6180547968046828e-42)))))))))))))
        )
        return 16.0 * (1.0 / (a * a * a) + 1.0 / (b * b * b) + 1.0 / (c * c * c)) + rest
    h = 0.5 * math.sqrt(t2)
    s = math.sin(h)
    g = h * math.cos(h) / s
    q = h * h / (s * s)
    return (8.0 - 3.0 * q - 3.0 * g - 2.0 * q * g) / (t2 * t2 * t2)


def asinc(s2: float) -> float:
    """Return asin(s)/s for s = sqrt(s2) in [0, 1]: angle over sine of a rotation by less than pi/2."""
    if s2 < 0.03:
        s4 = s2 * s2
        even = 1.0 + s4 * (3.0 / 40.0 + s4 * (35.0 / 1152.0 + s4 * (231.0 / 13312.0 + s4 * (6435.0 / 557056.0))))
        odd = s4 * (5.0 / 112.0 + s4 * (63.0 / 2816.0 + s4 * (143.0 / 10240.0 + s4 * (12155.0 / 1245184.0))))
        return even + s2 * (1.0 / 6.0 + odd)
    s = math.sqrt(s2)
    return math.asin(s) / s
