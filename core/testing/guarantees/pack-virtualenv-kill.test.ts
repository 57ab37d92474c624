// test-timeout: 900
// test-suite: full
import * as assert from "node:assert/strict";
import { cp, mkdir, mkdtemp, readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import * as uvu from "uvu";
import { toErrorMessage } from "../../contract/index.ts";
import { removeTree } from "../../features/packs/content/content-directory.ts";
import { rounds } from "../extent.test-support.ts";
import { buildSampleWheel } from "../packs/sample-wheel.test-support.ts";
import { createTestDatabase, postgresTest } from "../services/postgres.test-support.ts";
import { missing, requires } from "../test-requirements.ts";
import { begin, phases, readLastPhase, untilIn, untilSeen } from "./install-phases.test-support.ts";
import { createRandom } from "./random.test-support.ts";
import { endLeftovers, nothingLeft, type ServiceProcess, startServiceProcess } from "./service-process.test-support.ts";
import { until } from "./until.test-support.ts";
import { ended, readStaging, readWholeVersion, VersionedPack } from "./versioned-pack.test-support.ts";

const python = { command: "python3" };
const test = missing(python) === undefined ? postgresTest(uvu.test) : requires(uvu.test, python).test;

// KILL_ROUNDS says how often a node is killed, KILL_SEED repeats what a failed test has tried.
const kills = rounds({ short: 1, full: 1 });
const seed = Number(process.env["KILL_SEED"] ?? Date.now() % 1_000_000);
/** Milliseconds into what a kill cuts off. */
const into = () => random(400);
const random = createRandom(seed);
/** Most of them where a virtualenv is half made. */
const moments = [
	"prepare the environment of",
	"prepare the environment of",
	"switch to",
	"seen",
	"prepare the environment of",
	...phases,
] as const;

interface Node {
	readonly directory: string;
	service: ServiceProcess;
}

const source =
	"import svc_sample\nfrom svc.actions import Action\n\nclass Needs(Action):\n    def run(self):\n        return svc_sample.version\n";

/** What each version requires is another package, so that each has a virtualenv of its own. */
function toFiles(version: number): Readonly<Record<string, string>> {
	return {
		"requirements.txt": `svc-sample==${version}.0\n`,
		"actions/needs.yaml": `name: needs\ndescription: of ${version}\nrunner_type: python-script\nentry_point: needs.py\n`,
		"actions/needs.py": source,
	};
}

test(`of two nodes one is killed ${kills} times while it installs a pack with a virtualenv: the other goes on with a whole version`, async () => {
	const root = await mkdtemp(join(tmpdir(), "svc-venv-kill-"));
	const wheels = join(root, "wheels");
	const pack = new VersionedPack(toFiles);
	const database = await createTestDatabase();
	const start = toStart(database.url, wheels);
	const nodes: Node[] = [];
	const found = { old: 0, new: 0, halfMade: 0 };
	const diedIn: Record<string, number> = {};
	try {
		for (let version = 1; version < kills + 2; version += 1) buildSampleWheel(wheels, `${version}.0`);
		for (const name of ["a", "b"]) {
			const directory = join(root, name);
			await mkdir(directory);
			// The key of the datastore and the users are those of the service, not of a node.
			if (name === "b") await cp(join(root, "a/data"), join(directory, "data"), { recursive: true });
			nodes.push({ directory, service: await start(directory, nodes[0]?.service.token) });
		}
		pack.commit(1);
		await installed(nodes[0] as Node, pack);
		for (let version = 2; version < kills + 2; version += 1) {
			pack.commit(version);
			const moment = moments[(version - 2) % moments.length] as (typeof moments)[number];
			const execution = await begin((nodes[0] as Node).service, pack);
			const killed = await until("a node installs", 30, () => findInstaller(nodes, execution));
			const other = nodes.find((node) => node !== killed) as Node;
			if (moment === "seen") await untilSeen(other.service, version);
			else await untilIn(other.service, execution, { phase: moment, after: moment === "prepare the environment of" ? 0 : into() });
			if (moment === "prepare the environment of") await untilHalfMade(killed);
			await killed.service.kill();
			await nothingLeft(killed.directory, 10);
			found.halfMade += await countHalfMade(killed);
			// Nobody waits for the dead one: whatever it was about, what runs is whole.
			const whole = await readWholeVersion(other.service, ["needs"]);
			assert.ok(whole === version || whole === version - 1, `version ${whole} after an upgrade to ${version}`);
			assert.equal(await readNeeded(other), `${whole}.0`);
			found[whole === version ? "new" : "old"] += 1;
			await installed(other, pack);
			const last = await readLastPhase(other.service, execution);
			diedIn[last] = (diedIn[last] ?? 0) + 1;
			killed.service = await start(killed.directory, other.service.token);
			for (const { service } of nodes) assert.equal(await readWholeVersion(service, ["needs"]), version);
			// What was half made there is made anew, and nobody waits for whoever had begun it.
			await until("each node has the virtualenv", 120, async () => {
				assert.equal(await readNeeded(killed), `${version}.0`);
				return (await hasNone(killed, version)) ? undefined : true;
			});
			assert.deepEqual(await readStaging(join(other.directory, "data")), []);
		}
		process.stdout.write(`${kills} kills in ${JSON.stringify(diedIn)}, found ${JSON.stringify(found)}\n`);
		assert.ok(found.halfMade > 0, "no virtualenv was cut off");
	} catch (error) {
		throw new Error(`KILL_SEED=${seed}: ${toErrorMessage(error)}`, { cause: error });
	} finally {
		for (const { service, directory } of nodes) {
			await service.kill();
			endLeftovers(directory);
		}
		pack.remove();
		await database.drop();
		await removeTree(root);
	}
});

/** Starts a service in a directory, with Python whose packages lie in another one. */
function toStart(postgres: string, wheels: string) {
	const pip = JSON.stringify(["--no-index", "--find-links", wheels]);
	const pythonRunner = `pythonScript({ engine: "cpython", base_requirements: [], pip_arguments: ${pip} })`;
	const runners = { "local-script": "localScript()", "python-script": pythonRunner };
	return (directory: string, token?: string) =>
		startServiceProcess({ directory, runners, postgres, ...(token !== undefined && { token }) });
}

/** Install to the end, on whichever node. */
async function installed({ service }: Node, pack: VersionedPack): Promise<void> {
	const { status, result } = await ended(service, await begin(service, pack));
	assert.equal(status, "succeeded", JSON.stringify(result));
}

/** The node that an execution runs on, once it has begun to fetch. */
async function findInstaller(nodes: readonly Node[], execution: string): Promise<Node | undefined> {
	for (const node of nodes) if ((await readStaging(join(node.directory, "data"))).includes(execution)) return node;
	return undefined;
}

/** Virtualenvs that were not finished. */
async function countHalfMade({ directory }: Node): Promise<number> {
	const root = join(directory, "data/virtualenvs");
	const names = (await readNames(root)).filter((name) => !name.includes("."));
	const whole = await Promise.all(names.map(async (name) => (await readNames(join(root, name))).includes(".complete")));
	return whole.filter((isWhole) => !isWhole).length;
}

/** Wait until a node is in the midst of making a virtualenv. */
async function untilHalfMade(node: Node): Promise<void> {
	await until("a virtualenv is being made", 30, async () => (await countHalfMade(node)) || undefined);
	await delay(into());
}

/** Whether there is no virtualenv of a version on a node yet. */
async function hasNone({ directory }: Node, version: number): Promise<boolean> {
	const root = join(directory, "data/virtualenvs");
	const whole = await Promise.all((await readNames(root)).map((name) => holds(join(root, name), version)));
	return !whole.includes(true);
}

/** Whether a virtualenv is finished, and what a version needs. */
async function holds(directory: string, version: number): Promise<boolean> {
	const text = await readFile(join(directory, "requirements.txt"), "utf8").catch(() => "");
	return (await readNames(directory)).includes(".complete") && text.includes(`==${version}.0`);
}

async function readNames(directory: string): Promise<readonly string[]> {
	return readdir(directory).catch(() => []);
}

/** The version of the package that an action finds. */
async function readNeeded({ service }: Node): Promise<unknown> {
	const { status, result } = await ended(service, (await service.client.executions.create({ action: "disk.needs" })).id);
	assert.equal(status, "succeeded", JSON.stringify(result));
	return result?.["result"];
}

uvu.test.run();
