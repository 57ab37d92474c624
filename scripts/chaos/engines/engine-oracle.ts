import type { JsonObject } from "../../../core/contract/index.ts";
import { isFinal } from "../../../core/testing/guarantees/ledger.test-support.ts";
import { findByEnvironment } from "../../../core/testing/guarantees/processes.test-support.ts";
import type { Client, ExecutionRecord } from "../../../plugins/_shipped/client.ts";
import type { ChaosEngine, Mishap, UnsuccessfulRun } from "./chaos-engine.ts";
import { type CommandWords, readLedger, silence } from "./command-ledger.ts";
import { LossJudge } from "./loss-judge.ts";
import { toTime, wasKilledAfter } from "./mishaps.ts";
import { pack, text } from "./workload.ts";

export interface EngineViolation {
	/** The promise that was broken. */
	readonly promise: "kept" | "ends" | "once" | "output" | "alive" | "reason" | "final" | "left" | "gone" | "asked";
	/** Undefined where it is no engine's matter. */
	readonly engine: string | undefined;
	readonly detail: string;
}

const cleaning = 20_000;
const limit = 100;

/** Knows what was acknowledged, what went wrong, and what commands have written themselves; compares that with what the service tells. */
export class EngineOracle {
	readonly #ledgers: string;
	readonly #engines: readonly ChaosEngine[];
	readonly #patience: number;
	readonly #acknowledged = new Set<string>();
	readonly #known = new Set<string>();
	readonly #ends = new Map<string, ExecutionRecord>();
	/** Commands that had not come to their end when one that is no success was seen. */
	readonly #unfinished = new Set<string>();
	readonly #mishaps: Mishap[] = [];
	readonly #losses: LossJudge;
	readonly #violations: EngineViolation[] = [];
	readonly #leftovers: string[] = [];
	/** Output that engines have lost. */
	readonly #cut: string[] = [];
	refused = 0;

	/**
	 * @param ledgers directory with a file for each engine, called like it
	 * @param patience milliseconds that a service has for removing what has ended, and an engine for letting it go
	 */
	constructor(ledgers: string, engines: readonly ChaosEngine[], patience = cleaning) {
		this.#ledgers = ledgers;
		this.#patience = patience;
		this.#engines = engines;
		this.#losses = new LossJudge(this.#mishaps);
	}

	acknowledge(id: string): void {
		this.#acknowledged.add(id);
	}

	/** Somebody has removed what an execution had on its engine, and has begun to do so at that time. */
	noteTaken(id: string, from: number): void {
		this.#losses.noteTaken(id, from);
	}

	note(mishap: Mishap): void {
		this.#mishaps.push(mishap);
	}

	/** Look at all executions, acknowledged or not: an end that was seen must stay as it is. Gives those that are open. */
	async look(client: Client): Promise<readonly ExecutionRecord[]> {
		const records: ExecutionRecord[] = [];
		for (const engine of this.#engines) {
			const found = await readAll(client, engine.name);
			records.push(...found);
			// What commands have written is read after what the service says: an end that is told is one by then.
			const words = await readLedger(this.#ledgers, engine.name);
			for (const record of found.filter(isFinal)) await this.#see(engine, record, words.get(record.id) ?? silence);
		}
		const known = new Set(records.map(({ id }) => id));
		for (const id of known) this.#known.add(id);
		for (const id of this.#acknowledged)
			if (!known.has(id)) this.#violate("kept", undefined, `execution ${id} was acknowledged and is gone`);
		return records.filter((record) => !isFinal(record));
	}

	/** Compare everything promised with everything found, once all that could go wrong is over. */
	async judge(client: Client): Promise<readonly EngineViolation[]> {
		for (const record of await this.look(client))
			this.#violate("ends", record.action.name, `execution ${record.id} is still ${record.status}`);
		for (const engine of this.#engines) {
			const words = await readLedger(this.#ledgers, engine.name);
			this.#judgeBegun(engine, words);
			const ended = [...this.#ends.values()].filter((record) => record.action.name === engine.name);
			for (const record of ended) await this.#judgeEnd(client, engine, record, words.get(record.id) ?? silence);
			for (const misdeed of (await engine.findMisdeeds?.()) ?? []) this.#violate("asked", engine.name, misdeed);
			await this.#judgeLeft(engine);
		}
		for (const pid of findByEnvironment(`SVC_ACTION_PACK_NAME=${pack}\0`))
			this.#violate("left", undefined, `process ${pid} of an execution that has ended`);
		return this.#violations;
	}

	/** What was asked, what came of it, what went wrong, and what the engines have lost. */
	describe(): string {
		const ends = countAll([...this.#ends.values()].map(({ action, status }) => `${action.name} ${status}`));
		const mishaps = countAll(this.#mishaps.map(({ engine = "service", what }) => `${engine} ${what}`));
		return [
			`${this.#acknowledged.size} acknowledged, ${this.refused} refused; ${ends}`,
			`went wrong: ${mishaps}`,
			`lost by others than the service: ${countAll([...this.#losses.found(), ...this.#cut]) || "nothing"}`,
			`left until it is swept: ${countAll(this.#leftovers) || "nothing"}`,
		].join("\n");
	}

	async #see(engine: ChaosEngine, record: ExecutionRecord, words: CommandWords): Promise<void> {
		const first = this.#ends.get(record.id);
		if (first !== undefined) {
			if (toEnd(first) !== toEnd(record))
				this.#violate("final", engine.name, `execution ${record.id} ended as ${toEnd(first)} and then became ${toEnd(record)}`);
			return;
		}
		this.#ends.set(record.id, record);
		if (record.status === "succeeded") return;
		if (!words.isEnded) this.#unfinished.add(record.id);
		// An engine forgets: what it has lost is asked for while it knows that.
		await this.#losses.find(engine, this.#toRun(engine, record, words));
	}

	#judgeBegun(engine: ChaosEngine, words: ReadonlyMap<string, CommandWords>): void {
		for (const [id, { begun }] of words) {
			if (begun > 1) this.#violate("once", engine.name, `execution ${id} has begun ${begun} times`);
			if (!this.#known.has(id)) this.#violate("kept", engine.name, `execution ${id} has begun, and the service knows nothing of it`);
		}
	}

	async #judgeEnd(client: Client, engine: ChaosEngine, record: ExecutionRecord, words: CommandWords): Promise<void> {
		const { id, status } = record;
		const output = await client.executions.output(id, { type: "stdout" });
		if (status === "succeeded") {
			if (!words.isEnded) this.#violate("once", engine.name, `execution ${id} succeeded and its command has not come to its end`);
			const whole = engine.keptOutput?.(record) ?? text;
			if (whole !== text) this.#cut.push(`${engine.name} output`);
			if (output !== whole) this.#violate("output", engine.name, `execution ${id} succeeded with the output ${JSON.stringify(output)}`);
			return;
		}
		if (!text.startsWith(output)) this.#violate("output", engine.name, `execution ${id} has the output ${JSON.stringify(output)}`);
		const told = `execution ${id} ended ${status} (begun ${words.begun} times${words.isEnded ? ", to its end" : ""}): ${JSON.stringify(record.result)}`;
		if (!["failed", "abandoned", ...(engine.mayTimeOut === true ? ["timeout"] : [])].includes(status))
			this.#violate("ends", engine.name, told);
		const run = this.#toRun(engine, record, words);
		if (run.reason === "") this.#violate("reason", engine.name, told);
		const loss = await this.#losses.find(engine, run);
		if (loss === undefined) this.#violate("alive", engine.name, `${told}; meanwhile: ${JSON.stringify(run.mishaps)}`);
		if (words.isEnded && this.#unfinished.has(id) && loss?.goesOn !== true)
			this.#violate("gone", engine.name, `${told}; its command went on afterwards`);
	}

	#toRun(engine: ChaosEngine, record: ExecutionRecord, { begun }: CommandWords): UnsuccessfulRun {
		const [error, code] = readEnd(record.result ?? {});
		// That a program was killed its exit code says.
		const reason = typeof error === "string" ? error : typeof code === "number" && code !== 0 ? `exit code ${code}` : "";
		return { record, reason, begun, mishaps: this.#losses.mishapsOf(engine.name, record) };
	}

	async #judgeLeft(engine: ChaosEngine): Promise<void> {
		let left = await engine.left();
		for (const deadline = Date.now() + this.#patience; left.length > 0 && Date.now() < deadline; left = await engine.left())
			await new Promise((resolve) => setTimeout(resolve, 250));
		for (const { run, what, isDoomed } of left) {
			const record = [...this.#ends.values()].find(({ id, liveaction }) => id === run || liveaction.id === run);
			if (isDoomed && record !== undefined && wasKilledAfter(this.#mishaps, engine.name, toTime(record.end_timestamp)))
				this.#leftovers.push(`${engine.name} ${what.split(" ")[0]}`);
			else this.#violate("left", engine.name, `${what} is left of ${run}`);
		}
	}

	#violate(promise: EngineViolation["promise"], engine: string | undefined, detail: string): void {
		if (!this.#violations.some((violation) => violation.detail === detail)) this.#violations.push({ promise, engine, detail });
	}
}

async function readAll(client: Client, engine: string): Promise<readonly ExecutionRecord[]> {
	const records: ExecutionRecord[] = [];
	for (;;) {
		const { items } = await client.executions.list({ action: `${pack}.${engine}`, limit, offset: records.length });
		records.push(...items);
		if (items.length < limit) return records;
	}
}

/** Why it has failed, and its exit code; with hosts, those of the host. */
function readEnd(result: JsonObject): readonly unknown[] {
	const host = Object.values(result).find((value) => typeof value === "object" && value !== null);
	const { error, return_code: code } = (result["error"] === undefined && host ? host : result) as JsonObject;
	return [error, code];
}

const toEnd = ({ status, end_timestamp, result }: ExecutionRecord): string => `${status} at ${end_timestamp}: ${JSON.stringify(result)}`;

function countAll(words: readonly string[]): string {
	const counts = new Map<string, number>();
	for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
	return [...counts]
		.sort()
		.map(([word, count]) => `${count} × ${word}`)
		.join(", ");
}
