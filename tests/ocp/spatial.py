"""Spatial algebra as in the textbooks, angular over linear: an oracle for trees of hinges and slides in tests."""

import numpy as np
from scipy.spatial.transform import Rotation


def cross(c):
    return np.array([[0.0, -c[2], c[1]], [c[2], 0.0, -c[0]], [-c[1], c[0], 0.0]])


def motion_cross(v):
    return np.block([[cross(v[:3]), np.zeros((3, 3))], [cross(v[3:]), cross(v[:3])]])


def transform(turn, place):
    """Return X from a frame to another at `place` in it, whose axes `turn` maps to (E)."""
    return np.block([[turn, np.zeros((3, 3))], [-turn @ cross(place), turn]])


def inertia(mass, com, about_com):
    lever = cross(com)
    return np.block([[about_com + mass * lever @ lever.T, mass * lever], [mass * lever.T, mass * np.eye(3)]])


class SpatialTree:
    """A tree in one posture: X from parent to child, S, and I of every step."""

    def __init__(self, tree, q):
        self.parents = [step.parent for step in tree.steps]
        self.falling = np.concatenate([np.zeros(3), -tree.gravity_m_s2])
        self.X = []
        self.S = []
        self.inertia = []
        for step, angle in zip(tree.steps, q, strict=True):
            hinge = step.kind == "hinge"
            turn = step.rotation @ Rotation.from_rotvec(hinge * angle * step.axis).as_matrix()
            self.X.append(transform(turn.T, step.offset_m + (not hinge) * angle * (step.rotation @ step.axis)))
            self.S.append(np.concatenate([hinge * step.axis, (not hinge) * step.axis]))
            self.inertia.append(inertia(step.mass_kg, step.com_m, step.inertia_kg_m2))

    def velocities(self, rates):
        found = []
        for X, S, rate, parent in zip(self.X, self.S, rates, self.parents, strict=True):
            found.append((X @ found[parent] if parent >= 0 else 0.0) + S * rate)
        return found

    def kinetic_energy(self, rates):
        return 0.5 * sum(v @ own @ v for v, own in zip(self.velocities(rates), self.inertia, strict=True))

    def inverse(self, rates, accelerations, *, without_cross=False):
        """Return the forces of a motion (RNEA), or what they would be without v × vJ in the accelerations (E09)."""
        speeds = self.velocities(rates)
        found = []
        forces = []
        for i, (X, S, v) in enumerate(zip(self.X, self.S, speeds, strict=True)):
            above = found[self.parents[i]] if self.parents[i] >= 0 else self.falling
            bias = np.zeros(6) if without_cross else motion_cross(v) @ (S * rates[i])
            found.append(X @ above + S * accelerations[i] + bias)
            forces.append(self.inertia[i] @ found[i] - motion_cross(v).T @ self.inertia[i] @ v)
        return self._gathered(forces)

    def mass_matrix(self):
        """Return H (CRBA)."""
        size = len(self.S)
        composite = [own.copy() for own in self.inertia]
        found = np.zeros((size, size))
        for i in reversed(range(size)):
            if self.parents[i] >= 0:
                composite[self.parents[i]] += self.X[i].T @ composite[i] @ self.X[i]
            force = composite[i] @ self.S[i]
            j = i
            found[i, i] = self.S[i] @ force
            while self.parents[j] >= 0:
                force = self.X[j].T @ force
                j = self.parents[j]
                found[i, j] = found[j, i] = force @ self.S[j]
        return found

    def forward(self, rates, torques, *, falling=True):
        """Return the accelerations under forces (ABA); `falling` False leaves gravity out of the root (E11)."""
        size = len(self.S)
        speeds = self.velocities(rates)
        whole = [own.copy() for own in self.inertia]
        push = [-motion_cross(v).T @ own @ v for v, own in zip(speeds, self.inertia, strict=True)]
        bias = [motion_cross(v) @ (S * rate) for v, S, rate in zip(speeds, self.S, rates, strict=True)]
        U = [np.zeros(6)] * size
        d = np.zeros(size)
        u = np.zeros(size)
        for i in reversed(range(size)):
            U[i] = whole[i] @ self.S[i]
            d[i] = self.S[i] @ U[i]
            u[i] = torques[i] - self.S[i] @ push[i]
            if (parent := self.parents[i]) >= 0:
                rest = whole[i] - np.outer(U[i], U[i]) / d[i]
                whole[parent] += self.X[i].T @ rest @ self.X[i]
                push[parent] = push[parent] + self.X[i].T @ (push[i] + rest @ bias[i] + U[i] * u[i] / d[i])
        found = []
        accelerations = np.zeros(size)
        for i in range(size):
            above = found[self.parents[i]] if self.parents[i] >= 0 else falling * self.falling
            carried = self.X[i] @ above + bias[i]
            accelerations[i] = (u[i] - U[i] @ carried) / d[i]
            found.append(carried + self.S[i] * accelerations[i])
        return accelerations

    def _gathered(self, forces):
        torques = np.zeros(len(forces))
        for i in reversed(range(len(forces))):
            torques[i] = self.S[i] @ forces[i]
            if self.parents[i] >= 0:
                forces[self.parents[i]] = forces[self.parents[i]] + self.X[i].T @ forces[i]
        return torques
