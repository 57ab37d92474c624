// test-timeout: 600
// test-suite: full

import * as assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as everyTest } from "uvu";
import type { ExecutionEntity, JsonObject } from "../../../core/contract/index.ts";
import { removeTree } from "../../../core/features/packs/content/content-directory.ts";
import { createEngine } from "../../../core/index.ts";
import { isCompleted } from "../../../core/kernel/executions/status.ts";
import { createBackend } from "../../../core/testing/backends/backend.test-support.ts";
import { principal } from "../../../core/testing/engine/engine.test-support.ts";
import { buildSampleWheel } from "../../../core/testing/packs/sample-wheel.test-support.ts";
import { missing, requires } from "../../../core/testing/test-requirements.ts";
import { localScript } from "../../../plugins-runner/local-script/index.ts";
import { pythonScript } from "../../../plugins-runner/python-script/index.ts";
import { shippedFeatures } from "../../_shipped/features.ts";
import { SourceBench } from "../sources/pack-fetcher.test-support.ts";

const python = { command: "python3" };
const mount = { command: "mount", root: true } as const;
const { test } = requires(everyTest, python);
const { test: mountTest } = requires(everyTest, missing(python) === undefined ? mount : python);

/** A service with Python, whose data lie in a directory of the test's own. */
interface Site {
	readonly data: string;
	/** Commit a version of the pack, with these requirements. */
	commit(version: string, requirements: string): void;
	install(): Promise<ExecutionEntity>;
	/** What the actions of the pack say: a script its version, one in Python that of the package which it needs. */
	told(): Promise<readonly [script: unknown, python: unknown]>;
	version(): Promise<string | undefined>;
}

/** An action that says which version of the package it has. */
const needs = `import importlib.util
from svc.actions import Action

class Needs(Action):
    def run(self):
        if importlib.util.find_spec("svc_sample") is None:
            return "none"
        import svc_sample
        return svc_sample.version
`;
/** Bytes of a file that no two versions share. */
const payload = 900_000;
/** Bytes of a file of the package that each needs. */
const needed = 6 * payload;

let site: Site;
let stop = async (): Promise<void> => {};

/** Starts the site of all tests, on a disk of its own where there may be one, and installs version 1.0.0, which needs no packages. */
everyTest.before(async () => {
	if (missing(python) !== undefined) return;
	const root = mkdtempSync(join(tmpdir(), "svc-venv-install-"));
	const [data, wheels] = [join(root, "data"), join(root, "wheels")];
	mkdirSync(data);
	const bench = new SourceBench();
	const backend = createBackend();
	// Not what conflicts with the packages of the machine, for which pip reads all of them.
	const pip = ["--no-index", "--no-warn-conflicts", "--find-links", wheels];
	buildSampleWheel(wheels, "2.0", needed);
	const engine = createEngine(
		{
			features: shippedFeatures(),
			storage: backend.storage,
			event_bus: backend.eventBus,
			runners: [localScript(), pythonScript({ engine: "cpython", pip_arguments: pip, base_requirements: [] })],
			auth: { enable: false },
			log: { level: "error" },
			data_dir: data,
		},
		{ directory: root },
	);
	const unmount = missing(mount) === undefined ? mountData(data) : () => {};
	const run = async (action: string, parameters: JsonObject = {}) => {
		const { entity } = await engine.executions.submit({ action, parameters }, principal);
		for (;;) {
			const { entity: now } = await engine.executions.get(entity.id);
			if (isCompleted(now.status)) return now;
			await new Promise((resolve) => setTimeout(resolve, 50));
		}
	};
	stop = async () => {
		await engine.stop();
		await backend.release();
		bench.remove();
		await removeTree(join(data, "packs"));
		unmount();
		rmSync(root, { recursive: true, force: true });
	};
	await engine.start();
	site = {
		data,
		commit: (version, requirements) => commit(bench, version, requirements),
		install: () => run("packs.install", { packs: [`file://${bench.root}/disk/.git`.replaceAll(" ", "%20")] }),
		async told() {
			const [script, module] = [await run("disk.tell"), await run("disk.needs")];
			return [script.result?.["stdout"], module.result?.["result"] ?? JSON.stringify(module.result)];
		},
		version: async () => (await engine.packs.list({ ref: "disk" }, {})).items[0]?.version,
	};
	site.commit("1.0.0", "");
	await assertInstalled("1.0.0", "none");
});

everyTest.after(() => stop());

function commit(bench: SourceBench, version: string, requirements: string): void {
	bench.write("disk/pack.yaml", `ref: disk\nname: disk\ndescription: d\nversion: ${version}\nauthor: a\n`);
	bench.write("disk/requirements.txt", requirements);
	bench.write("disk/payload.bin", Buffer.alloc(payload, version));
	bench.write("disk/actions/tell.yaml", "name: tell\nrunner_type: local-shell-script\nentry_point: tell.sh\n");
	bench.write("disk/actions/tell.sh", `#!/bin/sh\necho ${version}\n`, 0o755);
	bench.write("disk/actions/needs.yaml", "name: needs\nrunner_type: python-script\nentry_point: needs.py\n");
	bench.write("disk/actions/needs.py", needs);
	bench.commit("disk");
}

/** What a failed installation may leave: files of versions that the storage has, and finished virtualenvs. */
function findHalfMade(data: string): readonly string[] {
	const names = (path: string) => (readdirSync(data).includes(path.split("/")[0] ?? "") ? readdirSync(join(data, path)) : []);
	const laidOut = names("packs/disk").filter((name) => name.startsWith("."));
	const virtualenvs = names("virtualenvs").filter((name) => !readdirSync(join(data, "virtualenvs", name)).includes(".complete"));
	return [...names("pack-staging"), ...laidOut, ...virtualenvs];
}

async function assertFailed(expected: RegExp): Promise<void> {
	const { status, result } = await site.install();
	assert.equal(status, "failed");
	assert.match(String(result?.["error"]), expected);
	assert.deepEqual(findHalfMade(site.data), []);
	assert.equal(await site.version(), "1.0.0");
	assert.deepEqual(await site.told(), ["1.0.0", "none"]);
}

async function assertInstalled(version: string, module: string): Promise<void> {
	const { status, result } = await site.install();
	assert.equal(status, "succeeded", JSON.stringify(result));
	assert.deepEqual([await site.version(), ...(await site.told())], [version, version, module]);
}

test("requirements that cannot be met change nothing, whatever is wrong with them", async () => {
	for (const [requirements, problem] of [
		["svc-sample==9.9\n", /virtualenv of pack "disk" cannot be built: [^]*svc-sample==9\.9/],
		["-e .\n", /requirements\.txt, line 1: the option "-e" is not allowed/],
	] as const) {
		site.commit("2.0.0", requirements);
		await assertFailed(problem);
	}
});

/** A disk of its own for the data. */
function mountData(data: string): () => void {
	execFileSync("mount", ["-t", "tmpfs", "-o", "size=200m", "svc-test", data]);
	return () => void execFileSync("umount", ["-l", data]);
}

/** Leave so many bytes on the disk. */
function fill(data: string, left: number): () => void {
	const { bavail, bsize } = statfsSync(data);
	const filler = join(data, "filler");
	writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - left)));
	return () => rmSync(filler);
}

mountTest("a disk that is full at any step of an installation changes nothing", async () => {
	site.commit("2.0.0", "svc-sample==2.0\n");
	for (const [left, problem] of [
		[0, /ENOSPC|no space left/i],
		// Enough for the files that were fetched, and then for those that are laid out, but not for what pip makes.
		[1.5 * payload, /ENOSPC|no space left/i],
		[4 * payload, /virtualenv of pack "disk" cannot be built: [^]* bytes are free on its disk/],
	] as const) {
		const empty = fill(site.data, left);
		await assertFailed(problem);
		empty();
	}
});

test("the try after failed ones succeeds", async () => {
	site.commit("2.0.0", "svc-sample==2.0\n");
	await assertInstalled("2.0.0", "2.0");
});

everyTest.run();
