import { randomBytes } from "node:crypto";
import { toErrorMessage } from "../../core/contract/index.ts";
import { createChunk, createTrace } from "../../core/testing/storage/fixtures.ts";
import { knexStorage } from "./index.ts";
import { toLargeText } from "./large-text.test-support.ts";
import { toContext } from "./storage-context.test-support.ts";

/**
 * The process that tests kill: `open` says when it begins to start the storage and when that is done, `insert` goes on to
 * insert traces and says the id of each that was acknowledged, `fill` does so until one is refused and says why, `output` does so with output of three executions and says their number
 * and the last sequence. The place is a data directory, or the url of a server.
 */
const [, , mode = "", place = ""] = process.argv;
const say = (line: string) => process.stdout.write(`${line}\n`);

const storage = knexStorage(place.startsWith("postgres:") ? { client: "postgres", url: place } : { client: "sqlite" }).create();
say("starting");
await storage.start?.(toContext(place));
say("started");
if (mode === "insert") {
	const insertForever = async (worker: number) => {
		for (let count = 0; ; count++) {
			// Random, so that it is not an id that the test makes for itself.
			const trace = createTrace(`${worker}-${count}`, { id: randomBytes(12).toString("hex") });
			await storage.insert("trace", [trace]);
			say(trace.id);
		}
	};
	await Promise.all([0, 1, 2, 3].map(insertForever));
}
if (mode === "fill") {
	try {
		for (let count = 0; ; count++) {
			const trace = createTrace(`${count} ${"x".repeat(20_000)}`, { id: randomBytes(12).toString("hex") });
			await storage.insert("trace", [trace]);
			say(trace.id);
		}
	} catch (error) {
		say(`refused: ${toErrorMessage(error)}`);
		setInterval(() => {}, 60_000);
	}
}
if (mode === "output") {
	const insertForever = async (execution: number) => {
		for (let sequence = 1; ; sequence += 2) {
			const chunks = [sequence, sequence + 1].map((each) => ({
				...createChunk(`${execution}`, each, toLargeText(execution, each)),
				id: randomBytes(12).toString("hex"),
			}));
			await storage.insert("output_chunk", chunks);
			say(`${execution} ${sequence + 1}`);
		}
	};
	await Promise.all([0, 1, 2].map(insertForever));
}
await storage.stop?.();
