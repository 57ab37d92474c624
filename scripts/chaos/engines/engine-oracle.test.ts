import * as assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import type { Client, ExecutionRecord } from "../../../plugins/_shipped/client.ts";
import type { ChaosEngine, Loss, Mishap } from "./chaos-engine.ts";
import { EngineOracle } from "./engine-oracle.ts";
import { text } from "./workload.ts";

/** Milliseconds since 1970 at which the execution of a test begins and ends. */
const [start, end] = [1_000_000, 1_005_000];
const toTimestamp = (time: number) => new Date(time).toISOString();

interface Story {
	/** Of its record, besides an id and times. Undefined: the service knows of no execution. */
	readonly record?: Partial<ExecutionRecord> | undefined;
	/** What its command has written. */
	readonly words: readonly string[];
	/** The same, before the end was seen. Default: all of it. */
	readonly wordsBefore?: readonly string[];
	readonly output?: string;
	readonly mishaps?: readonly Mishap[];
	/** When somebody has begun to remove its work. */
	readonly takenAt?: number;
	readonly wasAsked?: boolean;
	readonly loss?: Loss;
	readonly isDoomed?: boolean;
	readonly mayTimeOut?: boolean;
}

const whole = ["begin", "end"];
const succeeded = { status: "succeeded", result: { succeeded: true } } as const;
const failed = { status: "failed", result: { error: "the engine has dropped it" } } as const;
const abandoned = { status: "abandoned", result: { error: "the node that ran the action stopped" } } as const;
const killed = { status: "timeout", result: { error: "somebody has not let it end in 60 seconds" } } as const;
const kill = (from: number): Mishap => ({ engine: undefined, what: "kill", from, to: from + 1_000 });

/** The promises that an oracle finds broken. */
async function judge(story: Story): Promise<readonly string[]> {
	const ledgers = await mkdtemp(join(tmpdir(), "svc-oracle-"));
	const write = (words: readonly string[]) => writeFile(join(ledgers, "engine"), words.map((word) => `run ${word}\n`).join(""));
	try {
		const oracle = new EngineOracle(ledgers, [toEngine(story)], 0);
		oracle.acknowledge("run");
		for (const mishap of story.mishaps ?? []) oracle.note(mishap);
		if (story.takenAt !== undefined) oracle.noteTaken("run", story.takenAt);
		await write(story.wordsBefore ?? story.words);
		await oracle.look(toClient(story));
		await write(story.words);
		return (await oracle.judge(toClient(story))).map(({ promise }) => promise);
	} finally {
		await rm(ledgers, { recursive: true });
	}
}

function toEngine({ wasAsked = false, loss, isDoomed, mayTimeOut = false }: Story): ChaosEngine {
	return {
		name: "engine",
		action: {},
		ledger: "",
		faults: {},
		removed: /^somebody/,
		mayTimeOut,
		wasAsked: async () => wasAsked,
		findLoss: async () => loss,
		takeAway: async () => undefined,
		left: async () => (isDoomed === undefined ? [] : [{ run: "run", what: "a job", isDoomed }]),
		stop: async () => {},
	};
}

function toClient({ record, output = text }: Story): Client {
	const given = { id: "run", action: { name: "engine" }, liveaction: { id: "live" }, start_timestamp: toTimestamp(start) };
	const items = record === undefined ? [] : [{ ...given, end_timestamp: toTimestamp(end), ...record }];
	return { executions: { list: async () => ({ items }), output: async () => output } } as unknown as Client;
}

const stories: Readonly<Record<string, { readonly story: Story; readonly broken: readonly string[] }>> = {
	"what has succeeded, begun once, come to its end and printed everything keeps every promise": {
		story: { record: succeeded, words: whole },
		broken: [],
	},
	"an execution that was acknowledged and is gone": { story: { words: [] }, broken: ["kept"] },
	"a command that has run for an execution of which the service knows nothing": { story: { words: whole }, broken: ["kept", "kept"] },
	"an execution that never ends": { story: { record: { status: "running" }, words: whole }, broken: ["ends"] },
	"a command that has begun twice": { story: { record: succeeded, words: ["begin", "begin", "end"] }, broken: ["once"] },
	"a success whose command has not come to its end": { story: { record: succeeded, words: ["begin"] }, broken: ["once"] },
	"a success without its last line": { story: { record: succeeded, words: whole, output: text.slice(0, -8) }, broken: ["output"] },
	"output that comes twice": {
		story: { record: failed, words: ["begin"], loss: { what: "lost" }, output: text + text },
		broken: ["output"],
	},
	"a failure that nobody else has brought about": { story: { record: failed, words: ["begin"] }, broken: ["alive"] },
	"a failure while the engine was away, which has lost nothing": {
		story: { record: failed, words: ["begin"], mishaps: [{ engine: "engine", what: "cut", from: start, to: end }] },
		broken: ["alive"],
	},
	"a loss of the engine's own is none of the service's": {
		story: { record: failed, words: ["begin"], loss: { what: "lost" } },
		broken: [],
	},
	"a failure without a reason": {
		story: { record: { status: "failed", result: {} }, words: ["begin"], loss: { what: "lost" } },
		broken: ["reason"],
	},
	"a command that goes on after its end was told": {
		story: { record: failed, words: whole, wordsBefore: ["begin"], loss: { what: "lost" } },
		broken: ["gone"],
	},
	"what was removed by hand has failed with that reason": {
		story: { record: { status: "failed", result: { error: "somebody has removed it" } }, words: ["begin"], takenAt: start + 1_000 },
		broken: [],
	},
	"another reason than that somebody has removed it": {
		story: { record: failed, words: ["begin"], takenAt: start + 1_000 },
		broken: ["alive"],
	},
	"what was killed by hand may be told of as one that has run out of its time": {
		story: { record: killed, words: ["begin"], takenAt: start + 1_000, mayTimeOut: true },
		broken: [],
	},
	"a command that was killed, and whose end nobody has seen": {
		story: {
			record: { ...killed, end_timestamp: toTimestamp(start + 60_000) },
			words: ["begin"],
			takenAt: start + 1_000,
			mayTimeOut: true,
		},
		broken: ["alive"],
	},
	"a time-out where there is none": {
		story: { record: killed, words: ["begin"], takenAt: start + 1_000 },
		broken: ["ends", "alive"],
	},
	"a removal by hand after the end": {
		story: { record: { status: "failed", result: { error: "somebody has removed it" } }, words: ["begin"], takenAt: end + 1_000 },
		broken: ["alive"],
	},
	"what was not asked for when the service was killed may be given up": {
		story: { record: abandoned, words: [], mishaps: [kill(start + 1_000)] },
		broken: [],
	},
	"what was asked for is not given up": {
		story: { record: abandoned, words: [], wasAsked: true, mishaps: [kill(start + 1_000)] },
		broken: ["alive"],
	},
	"what has begun is not given up": { story: { record: abandoned, words: ["begin"], mishaps: [kill(start + 1_000)] }, broken: ["alive"] },
	"what nobody has killed is not given up": { story: { record: abandoned, words: [] }, broken: ["alive"] },
	"what is left where the service was killed at the end is swept": {
		story: { record: succeeded, words: whole, isDoomed: true, mishaps: [kill(end + 500)] },
		broken: [],
	},
	"what is left where the service was killed much later": {
		story: { record: succeeded, words: whole, isDoomed: true, mishaps: [kill(end + 10_000)] },
		broken: ["left"],
	},
	"what is left and nobody sweeps": {
		story: { record: succeeded, words: whole, isDoomed: false, mishaps: [kill(end + 500)] },
		broken: ["left"],
	},
};

for (const [name, { story, broken }] of Object.entries(stories)) {
	test(broken.length === 0 ? name : `${name} is found`, async () => {
		assert.deepEqual(await judge(story), broken);
	});
}

test.run();
