"""The benchmark problems in Exudyn, set up to be fast.

Geometrically exact beams on Tait-Bryan nodes, the drive as a generic joint with a symbolic offset function,
generalised-alpha of index 3, modified Newton with one Jacobian per step, sparse LU with a reused pattern (dense for
small systems), one thread, nothing written to disk. Where a Jacobian kept over steps is faster, that is run as well.
"""

from __future__ import annotations

import itertools
import sys
import time
from typing import Any

import numpy as np

import problem
from problem import Timing

sys.exudynFast = True  # type: ignore[attr-defined]  # read by exudyn on import: no range checks

import exudyn as exu
import exudyn.itemInterface as item
from exudyn.advancedUtilities import CreateSymbolicUserFunction


def _beam_nodes(mbs: Any, x0: float, elements: int) -> list[Any]:
    """Add a straight beam of `elements` elements along x, with its weight; return its nodes."""
    ring = problem.ring()
    section = exu.BeamSection()
    section.stiffnessMatrix = np.diag(ring.stiffness)
    section.massPerLength = ring.mass
    section.inertia = np.diag(ring.inertia)
    length = problem.LENGTH / elements
    nodes = [
        mbs.AddNode(item.NodeRigidBodyRxyz(referenceCoordinates=[x0 + i * length, 0, 0, 0, 0, 0]))
        for i in range(elements + 1)
    ]
    for ends in itertools.pairwise(nodes):
        beam = mbs.AddObject(
            item.ObjectBeamGeometricallyExact(nodeNumbers=list(ends), length=length, sectionData=section)
        )
        _add_weight(mbs, beam)
    return nodes


def _rigid_arm(mbs: Any, x0: float) -> Any:
    """Add a rigid arm whose node is its centre of mass; return the body."""
    ring = problem.ring()
    mass = ring.mass * problem.LENGTH
    axial, transverse = ring.inertia[0], ring.inertia[1]
    across = mass * problem.LENGTH**2 / 12 + transverse * problem.LENGTH
    node = mbs.AddNode(item.NodeRigidBodyRxyz(referenceCoordinates=[x0 + problem.LENGTH / 2, 0, 0, 0, 0, 0]))
    body = mbs.AddObject(
        item.ObjectRigidBody(
            mass=mass, inertia=[axial * problem.LENGTH, across, across, 0, 0, 0], nodeNumber=node
        )
    )
    _add_weight(mbs, body)
    return body


def _add_weight(mbs: Any, body: Any) -> None:
    marker = mbs.AddMarker(item.MarkerBodyMass(bodyNumber=body))
    mbs.AddLoad(item.LoadMassProportional(markerNumber=marker, loadVector=list(problem.GRAVITY)))


def _ground(mbs: Any) -> Any:
    ground = mbs.AddNode(item.NodePointGround(referenceCoordinates=[0, 0, 0]))
    return mbs.AddMarker(item.MarkerNodeRigid(nodeNumber=ground))


def _tip_sensor(mbs: Any, node: Any) -> Any:
    position = exu.OutputVariableType.Position
    return mbs.AddSensor(
        item.SensorNode(nodeNumber=node, storeInternal=True, writeToFile=False, outputVariableType=position)
    )


def _drive(mbs: Any, t: Any, itemNumber: Any, parameters: Any) -> list[Any]:
    return [0, 0, 0, 0, 0, t - exu.symbolic.sin(t)]


def _settings(duration: float, steps: int, unknowns: int, atol: float, jacobian_per_step: bool) -> Any:
    settings = exu.SimulationSettings()
    integration = settings.timeIntegration
    integration.endTime = duration
    integration.numberOfSteps = steps
    integration.adaptiveStep = False
    integration.verboseMode = 0
    integration.generalizedAlpha.spectralRadius = problem.RHO_INF
    integration.generalizedAlpha.useIndex2Constraints = False
    integration.generalizedAlpha.useNewmark = False
    integration.generalizedAlpha.computeInitialAccelerations = True
    integration.newton.relativeTolerance = 1e-8
    integration.newton.absoluteTolerance = atol
    integration.newton.useModifiedNewton = True
    integration.newton.modifiedNewtonJacUpdatePerStep = jacobian_per_step
    settings.parallel.numberOfThreads = 1
    settings.solution.file.write = False
    settings.solution.sensors.writePeriod = duration / steps
    settings.linearSolver.solverType = (
        exu.LinearSolverType.EXUdense if unknowns <= 36 else exu.LinearSolverType.EigenSparse
    )
    settings.linearSolver.reuseAnalyzedPattern = True
    return settings


def _solve(mbs: Any, settings: Any, sensor: Any, started: float) -> Timing:
    mbs.Assemble()
    before = time.process_time()
    ok = mbs.SolveDynamic(settings)
    after = time.process_time()
    if not ok:
        raise RuntimeError("Exudyn: SolveDynamic did not reach the end")
    data = mbs.GetSensorStoredData(sensor)
    return Timing(data[:, 0], data[:, 1:4], after - before, after - started)


def manipulator(variant: str, steps: int, atol: float | None = None) -> Timing:
    """Run a variant of the two-link manipulator; the tip is sampled every step.

    Parameters
    ----------
    variant : str
        One of ``problem.VARIANTS``.
    steps : int
        Number of time steps over [0, 2 pi].
    atol : float, optional
        Absolute tolerance of Newton's method. Default 1e-10, and 1e-6 for fine meshes with small steps, which
        do not converge below.
    """
    elements = problem.VARIANTS[variant]
    if atol is None:
        atol = 1e-6 if elements >= 10 and steps > 1000 else 1e-10
    started = time.process_time()
    mbs = exu.SystemContainer().AddSystem()
    L = problem.LENGTH
    if elements:
        nodes1, nodes2 = _beam_nodes(mbs, 0.0, elements), _beam_nodes(mbs, L, elements)
        root, end1, start2 = (
            mbs.AddMarker(item.MarkerNodeRigid(nodeNumber=n)) for n in (nodes1[0], nodes1[-1], nodes2[0])
        )
        sensor = mbs.AddSensor(
            item.SensorNode(
                nodeNumber=nodes2[-1],
                storeInternal=True,
                writeToFile=False,
                outputVariableType=exu.OutputVariableType.Position,
            )
        )
    else:
        arm1, arm2 = _rigid_arm(mbs, 0.0), _rigid_arm(mbs, L)
        root, end1, start2 = (
            mbs.AddMarker(item.MarkerBodyRigid(bodyNumber=b, localPosition=[x, 0, 0]))
            for b, x in ((arm1, -L / 2), (arm1, L / 2), (arm2, -L / 2))
        )
        sensor = mbs.AddSensor(
            item.SensorBody(
                bodyNumber=arm2,
                localPosition=[L / 2, 0, 0],
                storeInternal=True,
                writeToFile=False,
                outputVariableType=exu.OutputVariableType.Position,
            )
        )
    shoulder = mbs.AddObject(item.ObjectJointGeneric(markerNumbers=[_ground(mbs), root]))
    drive = CreateSymbolicUserFunction(mbs, _drive, "offsetUserFunction", shoulder)
    mbs.SetObjectParameter(shoulder, "offsetUserFunction", drive)
    mbs.AddObject(item.ObjectJointRevoluteZ(markerNumbers=[end1, start2]))
    unknowns = 12 * (elements + 1) + 11
    settings = _settings(problem.DURATION, steps, unknowns, atol, jacobian_per_step=True)
    return _solve(mbs, settings, sensor, started)


def cantilever(elements: int, steps: int, atol: float = 1e-4, jacobian_per_step: bool = True) -> Timing:
    """Run the clamped arm under sudden gravity for `steps` steps of 1 ms; the tip is sampled every step.

    The tolerance is the tightest at which 1000 elements converge.
    """
    started = time.process_time()
    mbs = exu.SystemContainer().AddSystem()
    nodes = _beam_nodes(mbs, 0.0, elements)
    root = mbs.AddMarker(item.MarkerNodeRigid(nodeNumber=nodes[0]))
    mbs.AddObject(item.ObjectJointGeneric(markerNumbers=[_ground(mbs), root]))
    sensor = mbs.AddSensor(
        item.SensorNode(
            nodeNumber=nodes[-1],
            storeInternal=True,
            writeToFile=False,
            outputVariableType=exu.OutputVariableType.Position,
        )
    )
    duration = steps * problem.CANTILEVER_STEP
    unknowns = 6 * (elements + 1) + 6
    settings = _settings(duration, steps, unknowns, atol, jacobian_per_step)
    return _solve(mbs, settings, sensor, started)


def cantilever_kept_jacobian(elements: int, steps: int) -> Timing:
    """The same with the Jacobian kept over steps until convergence becomes slow: faster here, as little moves."""
    return cantilever(elements, steps, jacobian_per_step=False)
