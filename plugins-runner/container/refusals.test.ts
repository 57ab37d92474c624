import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { JsonObject, ParameterDefinitions, RunnerPlugin } from "../../core/contract/index.ts";
import { createRunContext, type RunContextOptions } from "../../core/testing/run-context.ts";
import { withRunner } from "../../core/testing/runner/started-runner.ts";
import { assertImage } from "../_container/image.ts";
import { localCommand } from "../local-command/index.ts";
import { type ContainerOptions, containerRunner } from "./index.ts";
import { shell } from "./service.test-support.ts";

/** There is no engine: whatever is asked of it waits. */
const host = "unix:///no/such/socket";
const digest = "0123456789abcdef".repeat(4);

type Refusal = readonly [RunContextOptions<ParameterDefinitions>, RegExp];

async function assertRefused(plugin: RunnerPlugin, cases: readonly Refusal[]): Promise<void> {
	await withRunner(plugin.create(), async (runner) => {
		for (const [given, message] of cases) {
			const context = createRunContext(runner, given);
			// What is not refused would wait for its engine.
			const timer = setTimeout(() => context.abort("shutdown"), 10_000);
			await assert.rejects(runner.run(context), { code: "SVC_INVALID", message });
			clearTimeout(timer);
		}
	});
}

test("what the configuration does not allow is refused by name, before anything is asked of the engine", async () => {
	const cases: readonly (readonly [JsonObject, RegExp])[] = [
		[{ privileged: true }, /"privileged" is not allowed/],
		[{ network: "host" }, /"network" is "host"; allowed: none/],
		[{ network: "container:other" }, /"network"/],
		[{ memory: "64g" }, /"memory" is 64g; at most 4g/],
		[{ memory: "much" }, /"memory" must be a size/],
		[{ cpus: 64 }, /"cpus" is 64; allowed: 0.01 to 4/],
		[{ cpus: 0 }, /"cpus" is 0; allowed: 0.01 to 4/],
		[{ capabilities: ["SYS_ADMIN"] }, /"capabilities" holds "SYS_ADMIN"; allowed: none/],
		[{ capabilities: [["ALL"]] }, /"capabilities" holds/],
		[{ user: "0; rm" }, /"user" must have the form/],
		[{ user: "0:0:0" }, /"user" must have the form/],
		[{ image: "other:1" }, /"image": "other:1" is not allowed; allowed: localhost\/\*/],
		[{ cwd: "tmp" }, /"cwd" must be an absolute path/],
		[{ command: ["true"] }, /only one of them/],
		[{ mounts: [{ source: "/", target: "/data" }] }, /"mounts".*does not allow/],
		[{ mounts: ["/srv:/data"] }, /"mounts".*requires a source/],
		[{ env: { "A=B": "1" } }, /"env": "A=B" is not a valid variable name/],
		[{ env: { A: "1\0PATH=/x" } }, /"env" must not contain a NUL/],
		[{ cmd: "true\0" }, /"cmd" must not contain a NUL/],
	];
	const plugin = containerRunner({ host, images: ["localhost/*"] });
	await assertRefused(
		plugin,
		cases.map(([given, message]) => [shell("true", given), message]),
	);
});

test("a text that is no name of an image is refused by the parameter that holds it", async () => {
	const names = [
		...["", "-v", "localhost/../x", "localhost/x/../../y", "localhost//x", "localhost/x?all=true", "localhost/x#y", "localhost/x:1:2"],
		...[
			"localhost/X y",
			"localhost/Upper/Case",
			"localhost/x\n",
			"localhost/x%2f..",
			"localhost/x@sha256:abc",
			"localhost/x:",
			"/localhost/x",
		],
		"a".repeat(256),
	];
	const ofImage = /parameter "image" must be the name of an image/;
	await assertRefused(
		containerRunner({ host }),
		names.map((name) => [shell("true", { image: name }), ofImage]),
	);
	const inside = (svc_container: string) => ({ runnerParameters: { cmd: "true", svc_container } });
	await assertRefused(localCommand({ containers: { host, images: ["docker.io/library/debian:*"] } }), [
		[inside("localhost/../x"), /parameter "svc_container" must be the name of an image/],
		[inside("docker.io/library/other"), /parameter "svc_container": "docker.io\/library\/other" is not allowed/],
	]);
});

test("a pattern of images takes in no other host", () => {
	const isAllowed = (image: string, ...images: readonly string[]) => {
		try {
			assertImage(image, { images }, "image");
			return true;
		} catch {
			return false;
		}
	};
	for (const image of ["registry.example.org.evil.net/x", "registry.example.org:5000/x"])
		assert.ok(!isAllowed(image, "registry.example.org*"), image);
	assert.ok(!isAllowed("busybox:5000/x", "busybox:*"));
	assert.ok(isAllowed("busybox:1.36", "busybox:*"));
	assert.ok(isAllowed("registry.example.org/x", "busybox:*", "registry.example.org/*"));
	assert.ok(isAllowed("registry.example.org/x", "*"));
});

test("names of images are taken as registries have them", async () => {
	const names = ["busybox", "library/busybox:1.36", "Registry.example.org:5000/team/a_b/c--d:v1.0_x", `r.example.org/x:1@sha256:${digest}`];
	await withRunner(containerRunner({ host }).create(), async (runner) => {
		const contexts = names.map((name) => createRunContext(runner, shell("true", { image: name })));
		const runs = contexts.map((context) => runner.run(context));
		// They wait for the engine.
		setTimeout(() => contexts.map((context) => context.abort("shutdown")), 10);
		for (const run of runs) assert.equal((await run).status, "running");
	});
});

test("options that cannot be meant are refused before anything starts", async () => {
	const cases: readonly (readonly [object, RegExp])[] = [
		[{ host: "tcp://engine.example.org:2375" }, /"tls".*is required/],
		[{ host: "/run/podman.sock" }, /"host".*must be "unix:/],
		[{ networks: ["host"] }, /"networks".*requires allow_privileged/],
		[{ mounts: [{ source: "/" }] }, /"mounts\[0\].source"/],
		[{ mounts: [{ source: "/srv/../etc" }] }, /"mounts\[0\].source"/],
		[{ memory: 512 }, /"memory".*must be a size/],
		[{ pids: 0 }, /"pids".*greater than 0/],
		[{ pull: "sometimes" }, /"pull".*must be one of/],
		[{ registries: { "a.example.org": { username: "a" } } }, /requires username and password/],
		[{ host: "tcp://engine.example.org:2376", tls: { ca_file: "/no/such/file" } }, /"tls.ca_file".*cannot be read/],
		[
			{ host: "tcp://engine.example.org:2376", tls: { ca_file: "/etc/hostname", cert_file: "/etc/hostname" } },
			/"tls" of containers requires both cert_file and key_file/,
		],
	];
	for (const [options, message] of cases) {
		const runner = containerRunner({ host: "unix:///x", ...options } as ContainerOptions).create();
		await assert.rejects(async () => runner.check?.({} as never), { code: "SVC_CONFIG", message });
	}
});

test.run();
