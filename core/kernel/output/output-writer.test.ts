import * as assert from "node:assert/strict";
import { test } from "uvu";
import { memoryBus } from "../../../plugins/event-bus-memory/index.ts";
import { Redactor } from "../../secrets/redactor.ts";
import { until } from "../../testing/guarantees/until.test-support.ts";
import { createPluginContext } from "../../testing/plugin-context.ts";
import { getSystemClock } from "../basics/clock.ts";
import { OutputWriter } from "./output-writer.ts";

const clock = getSystemClock();

/** Writes that each wait to be let through, in order. */
class Writes {
	readonly waiting: (() => void)[] = [];
	stored = "";
	/** How often there was word of a flood. */
	floods = 0;

	readonly store = async (chunks: readonly { readonly data: string }[]): Promise<void> => {
		await new Promise<void>((resolve) => this.waiting.push(resolve));
		this.stored += chunks.map(({ data }) => data).join("");
	};

	async letNext(): Promise<void> {
		(await until("there is a write", 5, () => this.waiting.shift()))();
	}
}

async function withRecorder(run: (recorder: OutputWriter, writes: Writes) => Promise<void>): Promise<void> {
	const eventBus = memoryBus().create();
	await eventBus.start?.(createPluginContext());
	const writes = new Writes();
	const recorder = new OutputWriter({
		store: writes.store,
		bulkOutput: { noteLargeWrite: () => void (writes.floods += 1) },
		eventBus,
		executionId: "a".repeat(24),
		actionRef: "core.local",
		runnerRef: "local-shell-cmd",
		clock,
		maxResultOutput: 1_000,
		streamOutput: true,
		secrets: new Redactor([]),
		secretOutput: [],
	});
	await run(recorder, writes).finally(() => eventBus.stop?.());
}

const piece = `${"x".repeat(399_999)}\n`;

test("who prints waits while much waits to be stored, and goes on when a write has taken of it, though that write goes on", () =>
	withRecorder(async (recorder, writes) => {
		let emitted = 0;
		const printing = (async () => {
			for (let count = 0; count < 6; count += 1) {
				await recorder.emit("stdout", piece);
				emitted += 1;
			}
		})();
		await until("there is a write", 5, () => writes.waiting.length > 0 || undefined);
		await new Promise((resolve) => setTimeout(resolve, 20));
		assert.equal(emitted, 3);
		await writes.letNext();
		await until("the next one is printed", 5, () => emitted > 3 || undefined);
		assert.equal(writes.stored.length, piece.length);
		while (emitted < 6) await writes.letNext();
		await printing;
		const rest = recorder.finish();
		let isOver = false;
		void rest.then(() => {
			isOver = true;
		});
		while (!isOver) {
			writes.waiting.shift()?.();
			await new Promise((resolve) => setImmediate(resolve));
		}
		const stored = writes.stored + (await rest).map(({ data }) => data).join("");
		assert.equal(stored, piece.repeat(6));
	}));

test("much in one write is word of a flood, for those who stand back then; a line is not", () =>
	withRecorder(async (recorder, writes) => {
		await recorder.emit("stdout", "a line\n");
		await writes.letNext();
		assert.equal(writes.floods, 0);
		await recorder.emit("stdout", "x".repeat(20_000));
		await writes.letNext();
		assert.equal(writes.floods, 1);
		await recorder.finish();
	}));

test("who waits for less to wait is told when the run has lost its execution", () =>
	withRecorder(async (recorder, writes) => {
		const printing = (async () => {
			for (;;) await recorder.emit("stdout", piece);
		})();
		await until("there is a write", 5, () => writes.waiting.length > 0 || undefined);
		await new Promise((resolve) => setTimeout(resolve, 20));
		recorder.fail(new Error("it runs elsewhere"));
		await assert.rejects(printing, /it runs elsewhere/);
	}));

test.run();
