import type { Inbox } from "./inbox.ts";
import type { Outbox } from "./outbox.ts";
import { pause, TimeoutError, withTimeout } from "./timeout.ts";
import type { Connection } from "./transport.ts";

export interface SendLoopOptions {
	readonly connection: Connection;
	readonly outbox: Outbox;
	readonly inbox: Inbox;
	/** Milliseconds between two heartbeats. */
	readonly beat: number;
	/** True if the transport delivers heartbeats back to their sender. */
	readonly echoes: boolean;
	/** Aborts when the connection is lost. */
	readonly lost: AbortSignal;
}

/** Milliseconds that a server may take to respond. */
const answerTimeout = 15_000;
/** Maximum attempts to send a batch, and milliseconds of the pause that doubles with each failed attempt. */
const maxAttempts = 5;
const firstPause = 100;
/** Number of consecutive missing heartbeats after which the connection is considered dead. */
const maxMissedHeartbeats = 3;

/**
 * Sends queued events and periodic heartbeats until the connection is lost. Rejects with the reason if it abandons the connection itself.
 */
export async function sendUntilDisconnected(parts: SendLoopOptions): Promise<void> {
	const { outbox, lost } = parts;
	const dead = new AbortController();
	const over = AbortSignal.any([lost, dead.signal]);
	const stopBeating = beat(parts, () => dead.abort(new Error("sent packets are not received")));
	try {
		while (!over.aborted) {
			await outbox.filled(over);
			if (!over.aborted) await sendBatch(parts, over);
		}
	} finally {
		stopBeating();
	}
	dead.signal.throwIfAborted();
}

function beat({ outbox, inbox, echoes, ...parts }: SendLoopOptions, onDead: () => void): () => void {
	let seen = inbox.ownBeats;
	let missed = 0;
	outbox.addBeat();
	const timer = setInterval(() => {
		// Count heartbeats instead of elapsed time, because the process may have been suspended.
		if (inbox.ownBeats > seen) missed = 0;
		else if (!outbox.hasBeat) missed += 1;
		seen = inbox.ownBeats;
		if (echoes && missed >= maxMissedHeartbeats) onDead();
		outbox.addBeat();
	}, parts.beat);
	return () => clearInterval(timer);
}

/** Sends the next batch. Discards one that fails repeatedly; receivers detect the gap in the sequence numbers. */
async function sendBatch({ connection, outbox }: SendLoopOptions, over: AbortSignal): Promise<void> {
	const packets = outbox.take();
	try {
		if (packets.length > 0) await withTimeout(connection.send(packets), answerTimeout, over);
		outbox.settle();
	} catch (error) {
		// The batch is sent again over the next connection.
		if (over.aborted) return;
		const failures = outbox.fail();
		if (failures >= maxAttempts) outbox.settle();
		if (failures >= maxAttempts || error instanceof TimeoutError) throw error;
		await pause(firstPause * 2 ** failures, over);
	}
}
