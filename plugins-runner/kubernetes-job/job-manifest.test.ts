import * as assert from "node:assert/strict";
import { test } from "uvu";
import { createRunContext } from "../../core/testing/run-context.ts";
import { toManifests } from "./job-manifest.ts";
import { assertOptions, type KubernetesJobOptions } from "./options.ts";
import { kubernetesJobParameters } from "./parameters.ts";

function manifests(runnerParameters: object, options: KubernetesJobOptions = {}) {
	const context = createRunContext(
		{ parameters: kubernetesJobParameters },
		{ runnerParameters: { image: "busybox", ...runnerParameters } },
	);
	return toManifests({ context, options, namespace: "default", script: undefined, holder: "h" });
}

test("what an action asks for stands in its place", () => {
	const given = {
		requests: { cpu: "500m", memory: "256Mi" },
		limits: { memory: 1024 },
		node_selector: { "kubernetes.io/arch": "arm64" },
		service_account: "runner",
		time_limit: 60,
	};
	const { job } = manifests({ ...given, command: ["tool", "$(x)"], image_pull_secrets: ["registry"] }, { service_accounts: ["runner"] });
	const { spec } = job as { readonly spec: Record<string, never> & { template: { spec: Record<string, unknown> } } };
	assert.deepEqual([spec["backoffLimit"], spec["activeDeadlineSeconds"], spec["ttlSecondsAfterFinished"]], [0, 60, 86_400]);
	const { containers, serviceAccountName, nodeSelector, imagePullSecrets } = spec.template.spec;
	assert.deepEqual([serviceAccountName, nodeSelector, imagePullSecrets], ["runner", given.node_selector, [{ name: "registry" }]]);
	const [container] = containers as readonly Record<string, unknown>[];
	assert.deepEqual(container?.["command"], ["tool", "$$(x)"]);
	assert.deepEqual(container?.["resources"], { requests: given.requests, limits: { memory: "1024" } });
});

test("no value can be another one's", () => {
	const rows: readonly [string, unknown][] = [
		["image", "a b"],
		["image", "../x"],
		["image", ""],
		["namespace", "a/../b"],
		["namespace", "kube-system"],
		["service_account", "default"],
		["node_selector", { "a b": "c" }],
		["node_selector", { a: "c\nd" }],
		["requests", { cpu: "1; rm" }],
		["limits", { memory: { a: 1 } }],
		["command", ["a", 1]],
		["command", []],
		["image_pull_secrets", ["a/b"]],
		["time_limit", 0],
		["env", { "a b": "c" }],
	];
	for (const [name, value] of rows)
		assert.throws(() => manifests({ [name]: value }), new RegExp(`"${name}"`), `${name} ${JSON.stringify(value)}`);
	assert.throws(() => manifests({ cmd: "true", command: ["true"] }), /cannot be combined/);
	assert.throws(() => manifests({ image: "evil/x" }, { images: ["registry.example.org/"] }), /"image" must begin with one of the prefixes/);
	const images = ["registry.example.org", "busybox:"];
	for (const image of ["registry.example.org.evil.net/x", "registry.example.org/x", "busybox:5000/x"])
		assert.throws(() => manifests({ image }, { images }), /"image" must begin with one of the prefixes/, image);
	assert.ok(manifests({ image: "busybox:1" }, { images }));
});

test("options that cannot work are refused by their name", () => {
	for (const server of ["nowhere", "http://10.0.0.1", "ftp://x"]) assert.throws(() => assertOptions({ server }), /server of runner/);
	assert.throws(() => assertOptions({ namespace: "A b" }), /namespace/);
	assert.throws(() => assertOptions({ installation: "a/b" }), /installation/);
	assert.throws(() => assertOptions({ client_key_file: "x" }), /client_certificate_file/);
	assert.throws(() => assertOptions({ kill_grace: -1 }), /kill_grace/);
	assert.throws(() => assertOptions({ ttl_seconds_after_finished: 0.5 }), /ttl_seconds_after_finished/);
});

test.run();
