import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { OutputType, Storage } from "../../contract/index.ts";
import { Redactor } from "../../secrets/redactor.ts";
import { createBackend, type TestBackend } from "../../testing/backends/backend.test-support.ts";
import { withChanges } from "../../testing/broken/refusals.test-support.ts";
import { getSystemClock } from "../basics/clock.ts";
import { createId } from "../basics/ids.ts";
import type { OutputSelection } from "../executions/executions-api.ts";
import { OutputReader } from "./output-reader.ts";
import { OutputWriter } from "./output-writer.ts";
import { toStoredChunk } from "./stored-chunk-queries.ts";

const clock = getSystemClock();
const executionId = createId(clock);
const secret = "-----BEGIN KEY-----\nabcdefghijkl\nmnopqrstuvwx\n-----END KEY-----";

const backends: TestBackend[] = [];

test.after.each(async () => {
	for (const backend of backends.splice(0)) await backend.release();
});

/** A storage with output of two channels; some of it is secret, over several lines. */
async function createOutput() {
	const backend = createBackend();
	backends.push(backend);
	const storage = backend.storage.create();
	const eventBus = backend.eventBus.create();
	const createRecorder = () =>
		new OutputWriter({
			store: (chunks) => storage.insert("output_chunk", chunks),
			eventBus,
			executionId,
			actionRef: "core.local",
			runnerRef: "local-shell-cmd",
			clock,
			maxResultOutput: 1_000,
			streamOutput: true,
			secrets: new Redactor([secret]),
			secretOutput: [],
		});
	await record(createRecorder(), storage, 0);
	// Another process goes on with it.
	const second = createRecorder();
	for (const chunk of await storage.find("output_chunk", { orderBy: [["sequence", "asc"]] })) second.restore(chunk);
	await record(second, storage, 40);
	return { storage, eventBus, output: new OutputReader({ storage, eventBus }) };
}

async function record(recorder: OutputWriter, storage: Storage, first: number): Promise<void> {
	for (let number = first; number < first + 40; number += 1) {
		const lines = Array.from({ length: 900 }, (_, index) => `stdout ${number}.${index} ${"-".repeat(index % 90)}\n`);
		await recorder.emit("stdout", lines.join(""));
		await recorder.emit("stderr", `stderr ${number} ${number % 5 === 0 ? secret : "!"} goes on`);
		await recorder.emit("stderr", number % 3 === 0 ? "\n" : " and on");
	}
	const rest = await recorder.finish();
	await storage.insert("output_chunk", rest.map(toStoredChunk));
}

async function read(output: OutputReader, selection: OutputSelection): Promise<string> {
	let text = "";
	for await (const piece of output.read(executionId, selection)) text += piece;
	return text;
}

/** The same storage, and how many chunks have been read of it with their text. */
function countReads(storage: Storage) {
	let count = 0;
	const counting = withChanges(storage, {
		async find(kind, query) {
			const found = await storage.find(kind, query);
			if (kind === "output_chunk" && query.fields === undefined) count += found.length;
			return found;
		},
	});
	return { counting, reads: () => count };
}

test("any lines are those that the whole output has there, of one type and of all, masked or not", async () => {
	const { output } = await createOutput();
	const types: readonly (OutputType | undefined)[] = [undefined, "stdout", "stderr", "other"];
	for (const masked of [true, false]) {
		for (const type of types) {
			const whole = await read(output, { type, masked });
			const lines = whole.split(/(?<=\n)/);
			for (const fromLine of [1, 2, 3, 27, 1_000, 36_005, 71_999, lines.length, lines.length + 1]) {
				const expected = lines.slice(fromLine - 1, fromLine + 1).join("");
				assert.equal(await read(output, { type, masked, fromLine, lines: 2 }), expected, `${type} from ${fromLine}`);
			}
		}
	}
	const [masked, unmasked] = await Promise.all([true, false].map((each) => read(output, { masked: each })));
	assert.equal(masked?.split("\n").length, unmasked?.split("\n").length);
	assert.equal(await read(output, { masked: true, find: "abcdefghijkl" }), "");
	assert.match(await read(output, { masked: false, find: "abcdefghijkl" }), /^\d+:abcdefghijkl\n/);
});

test("what is found says the number by which the line is read", async () => {
	const { output } = await createOutput();
	const found = await read(output, { masked: true, find: "stdout 61.70", fromLine: 50_000, lines: 1 });
	const [, number, line] = /^(\d+):(.*\n)$/.exec(found) ?? [];
	assert.match(line ?? "", /^stdout 61\.70 /);
	assert.equal(await read(output, { masked: true, fromLine: Number(number), lines: 1 }), line);
});

test("lines at the end are read without what is before them, masked or not", async () => {
	const { storage, eventBus } = await createOutput();
	const all = await storage.count("output_chunk", {});
	for (const masked of [true, false]) {
		const { counting, reads } = countReads(storage);
		const output = new OutputReader({ storage: counting, eventBus });
		assert.match(await read(output, { masked, fromLine: 71_990, type: "stdout" }), /^stdout 79\.889 /);
		const { total } = await output.lines(executionId, { masked, fromLine: 71_990, lines: 2, type: "stdout" });
		assert.equal(total, 72_000);
		assert.ok(reads() <= 9, `${reads()} of ${all} chunks were read`);
	}
});

test("lines and how many there are are told as they are counted in the whole output, masked or not", async () => {
	const { output } = await createOutput();
	for (const masked of [true, false]) {
		for (const type of [undefined, "stderr"] as const) {
			const lines = (await read(output, { type, masked })).split(/(?<=\n)/);
			for (const fromLine of [1, 2, 11, lines.length - 1, lines.length]) {
				const found = await output.lines(executionId, { type, masked, fromLine, lines: 1 });
				assert.equal(found.total, lines.length);
				assert.deepEqual([found.lines[0]?.line, found.lines[0]?.text], [fromLine, lines[fromLine - 1]?.replace("\n", "")]);
			}
		}
	}
});

test("where an earlier version has stored output, and counted nothing, all of it is counted", async () => {
	const { storage, output } = await createOutput();
	const whole = await read(output, { masked: false });
	for (const { id } of await storage.find("output_chunk", { fields: ["id"] })) {
		await storage.update("output_chunk", id, { lines_before: null, own_lines_before: null });
	}
	const lines = whole.split(/(?<=\n)/);
	const found = await output.lines(executionId, { masked: false, fromLine: 70_000, lines: 1 });
	assert.deepEqual([found.total, found.lines[0]?.text], [lines.length, lines[69_999]?.replace("\n", "")]);
});

test.run();
