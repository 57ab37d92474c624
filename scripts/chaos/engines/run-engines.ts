import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createRandom, type Random } from "../../../core/testing/guarantees/random.test-support.ts";
import { endLeftovers } from "../../../core/testing/guarantees/service-process.test-support.ts";
import { until } from "../../../core/testing/guarantees/until.test-support.ts";
import { type ChaosEngine, toAbsence } from "./chaos-engine.ts";
import { EngineOracle, type EngineViolation } from "./engine-oracle.ts";
import { EngineService } from "./engine-service.ts";
import { type EngineName, starters } from "./engines.ts";
import type { RunnerMechanism } from "./weakened-runner.ts";
import { pack, toCommand, writePack } from "./workload.ts";

export interface EngineChaosOptions {
	readonly seed: number;
	readonly engines: readonly EngineName[];
	/** Whether there is another round, after so many. */
	readonly goesOn: (rounds: number) => boolean;
	/** Most executions on each engine in a round. */
	readonly most: number;
	/** Seconds after the last round in which everything must be final. */
	readonly patience: number;
	readonly print: (line: string) => void;
	/** Ends it before its time, and all that it has started. */
	readonly signal?: AbortSignal;
}

/** Milliseconds in which the executions of a round are asked for, and from its beginning to the latest fault. */
const [askingTime, roundTime] = [2_000, 4_000];
/** Milliseconds: within which a service that was killed is back, and until it is asked again. */
const [patience, tryAgain] = [120_000, 250];
/** A removal by hand, among the faults. */
const takeAway = "take away";
/** Milliseconds between two looks at what is still under way. */
const settling = 1_000;

/** One service whose runs go to engines, all of them under faults at once; the promises that were broken. Rejects when the signal aborts. */
export async function runEngineChaos(options: EngineChaosOptions): Promise<readonly EngineViolation[]> {
	const random = createRandom(options.seed);
	return withEngines(options.engines, async (chaos) => {
		await chaos.service.start({});
		const oracle = new EngineOracle(chaos.ledgers, chaos.engines);
		const deeds = chaos.engines.map((engine) => toDeeds(engine, random));
		let round = 0;
		for (; options.goesOn(round) && !options.signal?.aborted; round += 1) {
			const faults = deeds.map((next) => next(oracle, options.print));
			await Promise.all([ask(chaos, oracle, random, options.most), killService(chaos, oracle, random), ...faults]);
			await oracle.look(chaos.service.client);
			await operate(chaos);
		}
		options.signal?.throwIfAborted();
		await settle(chaos, oracle, options.patience);
		const violations = await oracle.judge(chaos.service.client);
		options.print(`${round} rounds; ${oracle.describe()}`);
		return violations;
	});
}

/** What a service with a weakened runner on each engine breaks when it is killed once, while all that it runs is under way. */
export async function runWeakened(
	without: Readonly<Partial<Record<EngineName, readonly RunnerMechanism[]>>>,
	print: (line: string) => void,
): Promise<readonly EngineViolation[]> {
	const names = Object.keys(without) as EngineName[];
	return withEngines(names, async (chaos) => {
		const { engines, service, ledgers } = chaos;
		await service.start(without);
		const oracle = new EngineOracle(ledgers, engines);
		// So slow that all are under way at once, however long one of them takes to begin.
		for (const engine of engines) {
			const id = await create(chaos, engine, 2);
			oracle.acknowledge(id);
			const readOutput = () => service.client.executions.output(id, { type: "stdout" });
			await until(`output of ${engine.name} is recorded`, 60, async () => (await readOutput()) !== "" || undefined);
		}
		await service.restart(0);
		await settle(chaos, oracle, 120);
		const violations = await oracle.judge(service.client);
		print(oracle.describe());
		return violations;
	});
}

interface Chaos {
	readonly engines: readonly ChaosEngine[];
	readonly service: EngineService;
	readonly ledgers: string;
}

async function withEngines<T>(names: readonly EngineName[], use: (chaos: Chaos) => Promise<T>): Promise<T> {
	const directory = await mkdtemp(join(tmpdir(), "svc-chaos-engines-"));
	const ledgers = join(directory, "ledgers");
	await mkdir(ledgers);
	const engines: ChaosEngine[] = [];
	const service = new EngineService(directory, engines);
	try {
		for (const name of names) engines.push(await starters[name]({ ledgers, directory }));
		await writePack(join(directory, "packs"), engines);
		return await use({ engines, service, ledgers });
	} finally {
		await service.kill();
		const stops = await Promise.allSettled(engines.map((engine) => engine.stop()));
		endLeftovers(directory);
		await rm(directory, { recursive: true, force: true });
		for (const stop of stops) if (stop.status === "rejected") await Promise.reject(stop.reason);
	}
}

/** Faults of an engine and removals by hand, each in its turn and in an order of the seed's. */
function toDeeds(engine: ChaosEngine, random: Random) {
	let deck: string[] = [];
	return async (oracle: EngineOracle, print: (line: string) => void) => {
		if (deck.length === 0) deck = shuffle([...Object.keys(engine.faults), takeAway], random);
		const what = deck.pop() ?? "";
		await delay(500 + random(roundTime - 500));
		print(`${engine.name}: ${what}`);
		const from = Date.now();
		if (what === takeAway) {
			const id = await engine.takeAway(random);
			if (id !== undefined) oracle.noteTaken(id, from);
		} else {
			const fault = engine.faults[what];
			if (fault === undefined) throw new Error(`${engine.name} has no fault "${what}"`);
			await fault(random);
		}
		oracle.note({ engine: engine.name, what, from, to: Date.now() });
	};
}

function shuffle<T>(items: readonly T[], random: Random): T[] {
	const rest = [...items];
	return items.map(() => rest.splice(random(rest.length), 1)[0] as T);
}

async function ask(chaos: Chaos, oracle: EngineOracle, random: Random, most: number): Promise<void> {
	const asked = chaos.engines.map(async (engine) => {
		for (let count = 1 + random(most); count > 0; count -= 1) {
			await delay(random(askingTime / most));
			oracle.acknowledge(await keepAsking(chaos, engine, oracle));
		}
	});
	await Promise.all(asked);
}

/** The service may be away: what it has not answered counts as nothing, whether it runs or not. */
async function keepAsking(chaos: Chaos, engine: ChaosEngine, oracle: EngineOracle): Promise<string> {
	for (const deadline = Date.now() + patience; ; await delay(tryAgain)) {
		try {
			return await create(chaos, engine);
		} catch (error) {
			if (Date.now() > deadline) throw error;
			oracle.refused += 1;
		}
	}
}

async function create({ service }: Chaos, engine: ChaosEngine, seconds?: number): Promise<string> {
	const request = { action: `${pack}.${engine.name}`, parameters: { cmd: toCommand(engine.ledger, seconds) } };
	return (await service.client.executions.create(request)).id;
}

/** In three rounds of four. */
async function killService({ service }: Chaos, oracle: EngineOracle, random: Random): Promise<void> {
	if (random(4) === 0) return;
	await delay(random(roundTime));
	const from = Date.now();
	await service.restart(toAbsence(random));
	oracle.note({ engine: undefined, what: "kill", from, to: Date.now() });
}

async function settle(chaos: Chaos, oracle: EngineOracle, seconds: number): Promise<void> {
	const deadline = Date.now() + seconds * 1_000;
	while ((await oracle.look(chaos.service.client)).length > 0 && Date.now() < deadline) {
		await operate(chaos);
		await delay(settling);
	}
}

async function operate({ engines }: Chaos): Promise<void> {
	await Promise.all(engines.map((engine) => engine.operate?.()));
}
