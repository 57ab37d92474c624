import type { PolicyEntity } from "../../contract/index.ts";
import type { Room } from "./concurrency-limit.ts";
import type { Waiting } from "./queued-executions.ts";

/** What becomes of executions that wait. */
export interface Verdicts {
	readonly start: readonly Waiting[];
	readonly cancel: readonly { readonly id: string; readonly policy: PolicyEntity }[];
	readonly hold: readonly Waiting[];
	/** Whether nothing behind them could start, or be canceled. */
	readonly isClosed: boolean;
	/** Whether the next one might have started here, had there been a place. Nothing behind it was looked at. */
	readonly lacksPlace: boolean;
	/** Whether there is more that was not looked at. */
	readonly hasMore: boolean;
}

export interface JudgeInput {
	readonly room: Room;
	readonly policies: readonly PolicyEntity[];
	/** Executions that may start on this node. */
	readonly places: number;
	/** In the order in which they start. */
	readonly pages: AsyncIterable<{ readonly waiting: readonly Waiting[]; readonly isLast: boolean }>;
}

/** Decide what may start: each in its turn, as if those before it had started. */
export async function judge({ room, policies, places, pages }: JudgeInput): Promise<Verdicts> {
	const start: Waiting[] = [];
	const cancel: { id: string; policy: PolicyEntity }[] = [];
	const hold: Waiting[] = [];
	const mayCancel = policies.some(isCanceling);
	const end = (how: Partial<Verdicts>): Verdicts => ({ start, cancel, hold, isClosed: false, lacksPlace: false, hasMore: false, ...how });
	let hasMore = false;
	for await (const { waiting: page, isLast } of pages) {
		await room.prepare(page.map(({ id }) => id));
		for (const waiting of page) {
			const inTheWay = room.inTheWay(waiting.id);
			const canceling = inTheWay.find(isCanceling);
			if (canceling !== undefined) cancel.push({ id: waiting.id, policy: canceling });
			else if (inTheWay.length > 0) {
				hold.push(waiting);
				// What is behind it would be held as well.
				if (room.isClosed() && !mayCancel) return end({ isClosed: true });
			} else if (start.length >= places) return end({ lacksPlace: true });
			else {
				room.take(waiting.id);
				start.push(waiting);
			}
		}
		hasMore = !isLast;
	}
	return end({ hasMore });
}

function isCanceling({ parameters }: PolicyEntity): boolean {
	return parameters["action"] === "cancel";
}
