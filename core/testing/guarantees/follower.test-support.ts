import * as assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { OutputChunkRecord } from "../../../plugins/_shipped/client.ts";
import { openEvents } from "../../client/api-client.ts";
import type { Random } from "./random.test-support.ts";

/** Text by channel. */
export type Text = Record<OutputChunkRecord["output_type"], string>;

export interface Followed {
	readonly text: Text;
	/** Connections it took. */
	readonly connections: number;
}

export interface FollowerOptions {
	/** Address of the output stream. */
	readonly url: string;
	readonly random: Random;
	/** Only this channel. */
	readonly type?: "stdout" | "stderr";
}

/** Milliseconds after which a follower comes, and after which it may leave. */
const longestDelay = 120;
const longestStay = 60;

/**
 * Follows from a random moment, leaves at random ones, in the middle of an event too, and comes back with the last id it has
 * seen. Fails for a gap, a repeat, anything behind the end, and a connection that closes before the end.
 */
export async function follow({ url, random, type }: FollowerOptions): Promise<Followed> {
	const text: Text = { stdout: "", stderr: "", other: "" };
	let last = 0;
	let ends = 0;
	const take = (id: string, data: string) => {
		const chunk = JSON.parse(data) as OutputChunkRecord;
		const next = Number(id);
		if (type === undefined) assert.equal(next, last + 1, "the events have a gap or a repeat");
		else assert.ok(next > last && chunk.output_type === type, "the events of one channel repeat, or are of another");
		last = next;
		text[chunk.output_type] += chunk.data;
	};
	await delay(random(longestDelay));
	for (let connections = 1; ; connections += 1) {
		const leaving = new AbortController();
		const timer = random(3) === 0 ? setTimeout(() => leaving.abort(), random(longestStay)) : undefined;
		let stay = random(2) === 0 ? 1 + random(6) : Number.POSITIVE_INFINITY;
		const headers: Record<string, string> = last === 0 ? {} : { "last-event-id": String(last) };
		try {
			for await (const event of openEvents(url, { query: { output_type: type }, headers, signal: leaving.signal })) {
				assert.equal(ends, 0, "an event came behind the end");
				if (event.name === "EOF") ends += 1;
				else take(event.id, event.data);
				stay -= 1;
				if (stay === 0 && ends === 0) leaving.abort();
			}
		} catch (error) {
			if (!leaving.signal.aborted) throw error;
		} finally {
			clearTimeout(timer);
		}
		if (ends === 1) return { text, connections };
		assert.ok(leaving.signal.aborted, "the connection was closed before the end");
	}
}
