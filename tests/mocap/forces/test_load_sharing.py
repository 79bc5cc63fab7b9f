"""Who carries what: one foot alone all of it, two together what the wrench says, within friction."""

import numpy as np
import pytest

from strut.mocap.forces.dynamic_smoothing import SmoothingOptions
from strut.mocap.forces.footprints import Footprint
from strut.mocap.forces.load_sharing import FootLoads, cop_of_wrenches, cop_prior, share_load

TIME_S = np.arange(110) / 100.0
COM_M = np.column_stack([1.2 * TIME_S, np.zeros(110), np.full(110, 0.95)])


def feet(belt=(0.0, 0.0)):
    rest = {"forward": np.array([1.0, 0.0]), "length_m": 0.26, "belt_m_s": np.array(belt)}
    return (
        Footprint("Right", -0.1, 0.55, np.array([0.0, -0.1]), **rest),
        Footprint("Left", 0.42, 1.12, np.array([0.65, 0.1]), **rest),
    )


def wrench_at(cop_m, force_n):
    place = np.column_stack([cop_m, np.zeros(len(cop_m))])
    return np.concatenate([force_n, np.cross(place, force_n)], axis=1)


def test_loads_add_up_to_the_wrench():
    prior = cop_prior(feet(), TIME_S, SmoothingOptions())
    force = np.column_stack([60.0 * np.sin(6.0 * TIME_S), np.zeros(110), np.full(110, 700.0)])
    wrench = wrench_at(prior.cop_m, force)
    loads = share_load(feet(), TIME_S, wrench, COM_M, 0.8)
    np.testing.assert_allclose(loads.wrenches().sum(axis=1), wrench, atol=15.0)  # 20 mm of pressure at most
    assert (loads.force_n[..., 2] >= 0.0).all()
    slide = np.linalg.norm(loads.force_n[..., :2], axis=2)
    assert (slide <= 0.8 * loads.force_n[..., 2] + 1e-9).all()


def test_single_support_is_determined():
    place = feet()[0].usual_cop(TIME_S) + np.array([0.01, 0.005])
    wrench = wrench_at(place, np.tile([20.0, 5.0, 650.0], (110, 1)))
    loads = share_load(feet(), TIME_S, wrench, COM_M, 0.8)
    alone = TIME_S < 0.41
    np.testing.assert_allclose(loads.force_n[alone, 0], np.tile([20.0, 5.0, 650.0], (alone.sum(), 1)))
    np.testing.assert_allclose(loads.cop_m[alone, 0], place[alone], atol=1e-9)
    assert not loads.force_n[alone, 1].any()


def test_the_weight_goes_over_smoothly_from_the_trailing_to_the_leading_foot():
    prior = cop_prior(feet(), TIME_S, SmoothingOptions())
    wrench = wrench_at(prior.cop_m, np.tile([0.0, 0.0, 700.0], (110, 1)))
    share = share_load(feet(), TIME_S, wrench, COM_M, 0.8).force_n[:, 1, 2] / 700.0
    both = (TIME_S >= 0.42) & (TIME_S <= 0.55)
    assert (np.diff(share[both]) > 0.0).all()
    assert share[both][0] < 0.25
    assert share[both][-1] > 0.75
    assert np.abs(np.diff(share)).max() < 0.2


def test_pressure_that_leads_is_taken_back_while_two_feet_share():
    prior = cop_prior(feet(), TIME_S, SmoothingOptions())
    wrench = wrench_at(prior.cop_m, np.tile([0.0, 0.0, 700.0], (110, 1)))
    usual, later = (
        share_load(feet(), TIME_S, wrench, COM_M, 0.8, cop_lead=lead).force_n[:, 1, 2] for lead in (0.0, 0.15)
    )
    both = (TIME_S >= 0.42) & (TIME_S <= 0.55)
    assert (later[both][1:-1] < usual[both][1:-1]).all()
    assert 0.05 * 700.0 < (usual - later).max() < 0.15 * 700.0
    np.testing.assert_allclose(later[~both], usual[~both])  # one foot carries all


def test_pressure_stays_under_the_foot_and_the_rest_is_not_hidden():
    wrench = wrench_at(np.tile([0.9, -0.1], (110, 1)), np.tile([0.0, 0.0, 700.0], (110, 1)))
    loads = share_load(feet(), TIME_S, wrench, COM_M, 0.8)
    assert loads.cop_m[10, 0, 0] == pytest.approx(0.95 * 0.26)
    left = wrench[10] - loads.wrenches()[10].sum(axis=0)
    assert left[4] == pytest.approx(-700.0 * (0.9 - 0.95 * 0.26))


def test_feet_on_a_belt_are_carried_along():
    belted = feet(belt=(-1.0, 0.0))[0]
    moved = belted.usual_cop(np.array([0.2, 0.3])) - feet()[0].usual_cop(np.array([0.2, 0.3]))
    assert moved[1, 0] - moved[0, 0] == pytest.approx(-0.1)


def test_a_wrench_has_its_pressure_where_it_acts():
    place = np.array([[0.3, -0.2]])
    assert cop_of_wrenches(wrench_at(place, np.array([[30.0, -10.0, 500.0]]))) == pytest.approx(place)
    loads = FootLoads(np.zeros((1, 2, 3)), np.full((1, 2, 2), np.nan), np.zeros((1, 2)), np.zeros((1, 2), dtype=bool))
    assert not loads.wrenches().any()


def test_the_usual_pressure_is_least_certain_where_both_feet_carry_half():
    options = SmoothingOptions()
    prior = cop_prior(feet(), TIME_S, options)
    double = (TIME_S > 0.42) & (TIME_S < 0.55)
    np.testing.assert_allclose(prior.sd_m[~double & (TIME_S < 0.41)], options.cop_sd_m)
    middle_s = TIME_S[double][prior.sd_m[double].argmax()]
    assert middle_s == pytest.approx((0.42 + 0.55) / 2.0, abs=0.02)
    assert prior.sd_m.max() == pytest.approx(options.shared_cop_sd_m, rel=0.02)
    assert (prior.sd_m[np.flatnonzero(double)[[0, -1]]] < 0.8 * prior.sd_m.max()).all()
    right, left = (footprint.usual_cop(TIME_S) for footprint in feet())
    along = left[double] - right[double]
    share = ((prior.cop_m - right)[double] * along).sum(axis=1) / (along**2).sum(axis=1)
    assert (np.diff(share) > 0.0).all()
    assert share[0] < 0.25
    assert share[-1] > 0.75
