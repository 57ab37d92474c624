import { randomBytes } from "node:crypto";
import { createTrace } from "../../core/testing/storage/fixtures.ts";
import { knexStorage } from "./index.ts";
import { toContext } from "./storage-context.test-support.ts";

/**
 * The process that tests kill: `open` says when it begins to start the storage and when that is done, `insert` goes on to
 * insert traces and says the id of each that was acknowledged. The place is a data directory, or the url of a server.
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
await storage.stop?.();
