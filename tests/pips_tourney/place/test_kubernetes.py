"""The manifest for Kubernetes fits together, and fits the place, the tier and Dask."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import click
import pytest

from pips_tourney.cli.tourney import main
from tests.pips_tourney.place.conftest import Place

yaml = import_module("yaml")  # it has no types
MANIFEST = Path(__file__).parents[3] / "kubernetes.yaml"


def parts(kind: str) -> list[dict[str, Any]]:
    """Return all parts of the manifest of a kind."""
    return [part for part in yaml.safe_load_all(MANIFEST.read_text(encoding="utf-8")) if part["kind"] == kind]


PODS = {part["metadata"]["name"]: part["spec"]["template"] for part in parts("Deployment")}
CONTAINERS = {name: pod["spec"]["containers"][0] for name, pod in PODS.items()}


def chosen(labels: dict[str, str]) -> list[str]:
    return [name for name, pod in PODS.items() if labels.items() <= pod["metadata"]["labels"].items()]


def test_all_that_chooses_pods_chooses_its_own() -> None:
    for part in (*parts("Service"), *parts("Deployment"), *parts("NetworkPolicy")):
        spec = part["spec"]
        labels = spec["podSelector"]["matchLabels"] if "podSelector" in spec else spec["selector"]
        assert chosen(labels.get("matchLabels", labels)) == [part["metadata"]["name"]]
    for policy in parts("NetworkPolicy"):
        [rule] = policy["spec"]["ingress"]
        assert sorted(chosen(rule["from"][0]["podSelector"]["matchLabels"])) == sorted(PODS)
    assert {policy["metadata"]["name"] for policy in parts("NetworkPolicy")} == {"pips-scheduler", "pips-worker"}


def test_ports_and_volumes_are_there() -> None:
    for service in parts("Service"):
        [port], [opened] = service["spec"]["ports"], CONTAINERS[service["metadata"]["name"]]["ports"]
        assert (port["name"], port["targetPort"]) == (opened["name"], opened["containerPort"])
    place = PODS["pips-place"]["spec"]
    [claim] = parts("PersistentVolumeClaim")
    assert place["volumes"] == [{"name": "league", "persistentVolumeClaim": {"claimName": claim["metadata"]["name"]}}]
    container = (MANIFEST.parent / "Containerfile").read_text(encoding="utf-8")
    for one in (*place["containers"], *place["initContainers"]):
        assert one["volumeMounts"] == [{"name": "league", "mountPath": "/league"}]
    assert "VOLUME /league\n" in container and "WORKDIR /league\n" in container


def test_probes_ask_for_a_page_that_is_open_to_all(place: Place) -> None:
    container = CONTAINERS["pips-place"]
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        asked = container[probe]["httpGet"]
        assert asked["port"] == container["ports"][0]["name"]
        assert place.client.get(asked["path"]).status_code == 200


@pytest.mark.parametrize("name", ["pips-place", "pips-worker"])
def test_the_pods_that_start_bots_are_root_and_hold_no_token(name: str) -> None:
    """The tier `landlock` gives each process a user of its own."""
    spec = PODS[name]["spec"]
    assert spec["securityContext"] == {"runAsUser": 0, "seccompProfile": {"type": "RuntimeDefault"}}
    assert spec["automountServiceAccountToken"] is False and spec["enableServiceLinks"] is False
    assert "securityContext" not in CONTAINERS[name], "it keeps the usual capabilities"


@pytest.mark.parametrize("name", PODS)
def test_the_command_lines_are_understood(name: str) -> None:
    program, command, *words = CONTAINERS[name]["args"]
    if name == "pips-place":
        assert f'"{program}"' in (MANIFEST.parent / "Containerfile").read_text(encoding="utf-8")
        found = main.get_command(click.Context(main), command)
        assert found is not None
    else:
        found = import_module(f"distributed.cli.dask_{command}").main
    told = found.make_context(command, words).params
    expected: dict[str, dict[str, Any]] = {
        "pips-place": {"at": "0.0.0.0:8080"},
        "pips-scheduler": {"port": None},  # that is 8786
        "pips-worker": {"scheduler": "tcp://pips-scheduler:8786", "nthreads": 1, "n_workers": "1"},
    }
    assert expected[name].items() <= told.items()
