// test-timeout: 300
import * as assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import type { JsonObject, ParameterSchema } from "../../core/contract/index.ts";
import { createRunContext, type RunContextOptions } from "../../core/testing/run-context.ts";
import { withRunner } from "../../core/testing/runner/started-runner.ts";
import { testRunner } from "../../core/testing/runner-suite.ts";
import { Podman, podmanTest } from "../_container/podman.test-support.ts";
import { type ContainerOptions, containerRunner } from "./index.ts";

let podman: Podman | undefined;
const engineTest = podmanTest(test);
const started = async () => {
	podman ??= await Podman.start();
	return podman;
};

test.after(() => podman?.stop());

const image = "localhost/busybox:test";
const shell = (cmd: string, more: RunContextOptions["runnerParameters"] = {}) => ({ runnerParameters: { image, cmd, ...more } });

/** Run an action to its end, as the service does. */
async function runToEnd(given: RunContextOptions<ParameterSchema>, options: ContainerOptions = {}) {
	const { host } = await started();
	const plugin = containerRunner({ host, stop_grace: 1, ...options });
	const outcome: { text: string; result: Record<string, unknown> } = { text: "", result: {} };
	await withRunner(plugin.create(), async (runner) => {
		const context = createRunContext(runner, given);
		try {
			outcome.result = (await runner.run(context)).result;
			outcome.text = context.text("stdout");
		} finally {
			await runner.afterRun?.(context);
		}
	});
	return outcome;
}

engineTest("a container has no rights, no network, no more memory than it asked for, and files that cannot be changed", async () => {
	const looks = [
		"grep -E '^(CapEff|CapBnd|NoNewPrivs):' /proc/self/status",
		"id -u; ls /sys/class/net",
		"cat /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory.max 2>/dev/null",
		"touch /new 2>/dev/null || echo read-only; touch /tmp/new && echo written",
	];
	const { text } = await runToEnd(shell(looks.join("; "), { user: "1000:1000", memory: "48m" }));
	const none = "0000000000000000";
	assert.deepEqual(text.replaceAll("\t", " ").trim().split("\n"), [
		...[`CapEff: ${none}`, `CapBnd: ${none}`, "NoNewPrivs: 1", "1000", "lo", String(48 * 1024 * 1024), "read-only", "written"],
	]);
});

engineTest("the exit code and both channels are the container's own", async () => {
	const { result } = await runToEnd(shell("echo out; echo err >&2; exit 3"));
	assert.deepEqual(result, { failed: true, succeeded: false, return_code: 3, stdout: "out", stderr: "err" });
});

engineTest("a container that takes too much memory fails with the reason", async () => {
	const { result } = await runToEnd(shell("tail /dev/zero", { memory: "16m" }));
	assert.match(String(result["error"]), /memory/);
	assert.equal(result["return_code"], 137);
});

engineTest("the token of the run stands in no variable, and only who asks for it has the file", async () => {
	const environment = { SVC_ACTION_AUTH_TOKEN: "t0ken-of-the-run", SVC_ACTION_EXECUTION_ID: "1" };
	const look = "env | grep -c t0ken; echo $SVC_ACTION_EXECUTION_ID; cat $SVC_ACTION_AUTH_TOKEN_FILE </dev/null";
	assert.equal((await runToEnd({ ...shell(look), environment })).text, "0\n1\n");
	assert.equal((await runToEnd({ ...shell(look, { service_token: true }), environment })).text, "0\n1\nt0ken-of-the-run");
	assert.deepEqual(await (await started()).volumes(), []);
});

engineTest("a mount leads nowhere but where the configuration allows", async () => {
	const directory = await mkdtemp(join(tmpdir(), "svc-mounts-"));
	try {
		await mkdir(join(directory, "shared/below"), { recursive: true });
		await writeFile(join(directory, "shared/below/file"), "of the machine\n");
		await writeFile(join(directory, "secret"), "secret\n");
		await symlink(directory, join(directory, "shared/out"));
		const options = { mounts: [{ source: join(directory, "shared") }] };
		const read = (source: string, more = {}) => shell("cat /data/*; touch /data/new", { mounts: [{ source, target: "/data", ...more }] });
		const { result } = await runToEnd(read(join(directory, "shared/below")), options);
		assert.equal(result["stdout"], "of the machine");
		assert.match(String(result["stderr"]), /Read-only file system/);
		const refused = [
			read(join(directory, "shared/out")),
			read(join(directory, "shared/../secret")),
			read(directory),
			read(join(directory, "shared/below"), { read_only: false }),
			read(join(directory, "nothing")),
			read(join(directory, "shared"), { target: "/proc" }),
			read(join(directory, "shared"), { propagation: "shared" }),
		];
		for (const given of refused) await assert.rejects(runToEnd(given, options), { code: "SVC_INVALID", message: /parameter "mounts"/ });
	} finally {
		await rm(directory, { recursive: true, force: true });
	}
});

engineTest("what the configuration does not allow is refused by name", async () => {
	const cases: readonly (readonly [JsonObject, RegExp])[] = [
		[{ privileged: true }, /"privileged" is not allowed/],
		[{ network: "host" }, /"network" is "host"; allowed: none/],
		[{ network: "container:other" }, /"network"/],
		[{ memory: "64g" }, /"memory" is 64g; at most 4g/],
		[{ memory: "much" }, /"memory" must be a size/],
		[{ cpus: 64 }, /"cpus" is 64; allowed: 0.01 to 4/],
		[{ capabilities: ["SYS_ADMIN"] }, /"capabilities" holds "SYS_ADMIN"; allowed: none/],
		[{ user: "0; rm" }, /"user" must be as in/],
		[{ image: "other:1" }, /"image": "other:1" is not allowed; allowed: localhost\/\*/],
		[{ image: "localhost/../x?y" }, /"image" must be the name/],
		[{ cwd: "tmp" }, /"cwd" must be an absolute path/],
		[{ command: ["true"] }, /only one of them/],
	];
	for (const [given, message] of cases) {
		await assert.rejects(runToEnd(shell("true", given), { images: ["localhost/*"] }), { code: "SVC_INVALID", message });
	}
	assert.deepEqual(await (await started()).jobs(), []);
});

test("options that cannot be meant are refused before anything starts", async () => {
	const cases: readonly (readonly [object, RegExp])[] = [
		[{ host: "tcp://engine.example.org:2375" }, /"tls".*must be given/],
		[{ host: "/run/podman.sock" }, /"host".*must be "unix:/],
		[{ networks: ["host"] }, /"networks".*needs allow_privileged/],
		[{ mounts: [{ source: "/" }] }, /"mounts\[0\].source"/],
		[{ mounts: [{ source: "/srv/../etc" }] }, /"mounts\[0\].source"/],
		[{ memory: 512 }, /"memory".*must be a size/],
		[{ pids: 0 }, /"pids".*above 0/],
		[{ pull: "sometimes" }, /"pull".*must be one of/],
		[{ registries: { "a.example.org": { username: "a" } } }, /needs username and password/],
		[{ host: "tcp://engine.example.org:2376", tls: { ca_file: "/no/such/file" } }, /"tls.ca_file".*cannot be read/],
	];
	for (const [options, message] of cases) {
		const runner = containerRunner({ host: "unix:///x", ...options } as ContainerOptions).create();
		await assert.rejects(async () => runner.check?.({} as never), { code: "SVC_CONFIG", message });
	}
});

engineTest("an image that is not there fails the run with what the engine says, and is not pulled where that is forbidden", async () => {
	const given = { runnerParameters: { image: "localhost:1/nothing", cmd: "true", pull: "missing" } };
	await assert.rejects(runToEnd(given), { code: "SVC_RUNNER", message: /image "localhost:1\/nothing:latest" cannot be pulled: .*refused/ });
	const never = { runnerParameters: { image: "localhost:1/nothing", cmd: "true", pull: "never" } };
	await assert.rejects(runToEnd(never), { code: "SVC_RUNNER", message: /the container cannot be made: .*[Nn]o such image/ });
});

// Last, for it leaves containers behind: nobody stores the ends of its runs.
testRunner({
	test: (name, run) =>
		engineTest(name, async () => {
			await started();
			await run();
		}),
	name: "container",
	create: () => containerRunner({ host: podman?.host ?? "", stop_grace: 1 }),
	cases: {
		succeeds: shell("true"),
		fails: shell("exit 3"),
		throws: { runnerParameters: { image, command: ["/no/such/program"] } },
		prints: (count) => shell(`seq ${count} | sed "s/^/line /"`),
		blocks: shell("echo ready; exec sleep 600"),
		printsInvalid: shell("printf 'a\\377b\\n'"),
		printsSplit: shell("printf '\\303'; sleep 0.1; printf '\\251\\n'"),
		closesOutput: shell("echo ready; exec 1>&-; sleep 0.2; exit 1"),
		lasts: (count) => shell(`i=1; while [ $i -le ${count} ]; do echo line $i; i=$((i+1)); usleep 30000; done`),
	},
});

test.run();
