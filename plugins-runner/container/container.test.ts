// test-timeout: 300
// test-suite: full
import * as assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "uvu";
import type { ParameterDefinitions } from "../../core/contract/index.ts";
import { type RunContextOptions, silentLogger } from "../../core/testing/run-context.ts";
import { type Certificates, createCertificates } from "../../core/testing/services/certificates.test-support.ts";
import { LeftoverContainers } from "../_container/leftover-containers.ts";
import { Podman, podmanTest } from "../_container/podman.test-support.ts";
import { Registry } from "../_container/registry.test-support.ts";
import { startTlsFront } from "../_container/tls-front.test-support.ts";
import { testDeaths, testEngine, testPulls } from "./engine-cases.test-support.ts";
import type { ContainerOptions } from "./index.ts";
import { image, runToEnd, Service, shell } from "./service.test-support.ts";
import { testTls } from "./tls-cases.test-support.ts";

let podman: Podman | undefined;
let registry: Registry | undefined;
let certificates: Certificates | undefined;
let front: Awaited<ReturnType<typeof startTlsFront>> | undefined;
const engineTest = podmanTest(test);
const started = async () => {
	podman ??= await Podman.start();
	return podman;
};
const withRegistry = async () => {
	registry ??= await Registry.start();
	return { engine: await started(), registry };
};
const toParts = (podman: Podman) => ({
	engine: podman.engine,
	host: podman.host,
	jobs: () => podman.jobs(),
	volumes: () => podman.volumes(),
});
const run = async (given: RunContextOptions<ParameterDefinitions>, options: ContainerOptions = {}) =>
	runToEnd(await started(), given, options);

test.after(async () => {
	front?.close();
	await podman?.stop();
	await registry?.stop();
	await certificates?.remove();
});

testEngine(engineTest, "Podman", started);
testDeaths(engineTest, "Podman", started);
testPulls(podmanTest(test, "docker-registry", "htpasswd"), "Podman", withRegistry);
testTls(podmanTest(test, "openssl"), "Podman", async () => {
	const engine = await started();
	certificates ??= await createCertificates();
	front ??= await startTlsFront(engine.socketPath, certificates);
	return { engine, host: front.host, certificates, tellsWhy: false };
});

engineTest("a container that takes too much memory fails with the reason", async () => {
	const { result } = await run(shell("tail /dev/zero", { memory: "16m" }));
	assert.match(String(result["error"]), /memory/);
	assert.equal(result["return_code"], 137);
});

engineTest("a program that a signal ends fails with the signal, and an ordinary exit code stands for itself", async () => {
	// The first process of a container ignores signals of its own.
	const crashed = await run(shell("sh -c 'kill -SEGV $$'; exit $?"));
	assert.equal(crashed.result["return_code"], 139);
	assert.match(String(crashed.result["error"]), /ended by signal 11 \(SIGSEGV\)$/);
	const failed = await run(shell("exit 3"));
	assert.deepEqual([failed.result["return_code"], failed.result["error"]], [3, undefined]);
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
		const { result } = await run(read(join(directory, "shared/below")), options);
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
		for (const given of refused) await assert.rejects(run(given, options), { code: "SVC_INVALID", message: /parameter "mounts"/ });
	} finally {
		await rm(directory, { recursive: true, force: true });
	}
});

engineTest("containers that nobody needs any more are swept up, with their volumes, and no others", async () => {
	const { engine, jobs, volumes } = toParts(await started());
	const { signal } = new AbortController();
	const seconds = (from: number) => String(Math.floor(Date.now() / 1_000) + from);
	const make = async (labels: Record<string, string>) => {
		const HostConfig = { NetworkMode: "none", Mounts: [{ Type: "volume", Target: "/svc", ReadOnly: false }] };
		const name = `sweep-${randomUUID()}`;
		await engine.create(name, { Image: image, Cmd: ["/bin/sleep", "600"], Labels: labels, HostConfig }, signal);
		return { name, id: (await engine.look(name))?.id ?? "" };
	};
	const installation = { "svc.installation": "tests" };
	const [over, going, wanted, untimed, others] = [
		await make({ ...installation, "svc.until": seconds(-1) }),
		await make({ ...installation, "svc.until": seconds(-1) }),
		await make({ ...installation, "svc.until": seconds(100) }),
		await make(installation),
		await make({ "svc.installation": "others", "svc.until": seconds(-1) }),
	];
	await engine.start(going.name, signal);
	const leftovers = new LeftoverContainers({ engine, installation: "tests", logger: silentLogger, times: { first: 10, every: 10 } });
	assert.deepEqual([...(await leftovers.sweep())].sort(), [over.id, going.id].sort());
	assert.equal((await volumes()).length, 3);
	const inAWeek = Date.now() + 8 * 86_400_000;
	assert.deepEqual([...(await leftovers.sweep(inAWeek))].sort(), [wanted.id, untimed.id].sort());
	// By itself, and again.
	leftovers.start();
	for (let times = 0; times < 2; times++) {
		await make({ ...installation, "svc.until": seconds(-1) });
		while ((await jobs()).length > 1) await delay(20);
	}
	await leftovers.stop();
	assert.deepEqual(await jobs(), [others.id]);
	await engine.remove(others.id);
	assert.deepEqual(await volumes(), []);
});

engineTest("what a service leaves that never comes back is swept up an hour after its time-out", async () => {
	const { engine, jobs, host } = toParts(await started());
	await Service.with({ host, installation: "tests" }, async (service) => {
		const run = service.begin(shell("echo ready; exec sleep 600", { timeout: 100 }));
		await run.context.waitFor("stdout", "ready\n");
		run.context.abort("shutdown");
		await run.end;
	});
	const leftovers = new LeftoverContainers({ engine, installation: "tests", logger: silentLogger });
	assert.deepEqual(await leftovers.sweep(Date.now() + 3_600_000), []);
	assert.equal((await leftovers.sweep(Date.now() + 3_702_000)).length, 1);
	assert.deepEqual(await jobs(), []);
});

engineTest("an image that is not there fails the run with what the engine says, and is not pulled where that is forbidden", async () => {
	const given = { runnerParameters: { image: "localhost:1/nothing", cmd: "true", pull: "missing" } };
	await assert.rejects(run(given), { code: "SVC_RUNNER", message: /image "localhost:1\/nothing:latest" cannot be pulled: .*refused/ });
	const never = { runnerParameters: { image: "localhost:1/nothing", cmd: "true", pull: "never" } };
	await assert.rejects(run(never), { code: "SVC_RUNNER", message: /the container cannot be created: .*[Nn]o such image/ });
});

test.run();
