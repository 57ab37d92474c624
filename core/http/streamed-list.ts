import { beginning, type Page, type Paging as Part, type Place } from "../kernel/basics/pagination.ts";

import { Breath } from "../lib/event-loop.ts";
import { toJsonText } from "./json-cache.ts";
import { type Paging, toCountHeaders } from "./paging.ts";
import { toLoggedPath } from "./redacted-path.ts";
import { type Reply, replyJson } from "./replies.ts";
import type { RouteContext } from "./route.ts";
import { toTextStream } from "./sse.ts";

/** Records that are read at a time where everything is asked for. */
const together = 100;

type Asking = Pick<RouteContext, "openStream" | "logger" | "request">;

/**
 * Answer with a page of a list, or with all of it: that is read and sent piece by piece, at the speed of the client, so that however much there
 * is, no more than a piece is held. `read` gives a part of the list as it is shown.
 *
 * All of it counts as a stream: it ends with the credential. What fails once the answer has begun cuts it short, and the connection with it.
 */
export async function replyPages(context: Asking, paging: Paging, read: (part: Part) => Promise<Page<unknown>>): Promise<Reply> {
	if (paging.limit !== undefined) {
		const { items, total } = await read(paging);
		return replyJson(items, 200, toCountHeaders(total, paging));
	}
	const { signal, done } = context.openStream();
	const step = (after: Place) => read({ ...paging, limit: together, after });
	try {
		const first = await step(beginning);
		const counts = toCountHeaders(first.total, paging);
		if (first.next === undefined) {
			done();
			return replyJson(first.items, 200, counts);
		}
		const headers = { "content-type": "application/json", ...counts };
		return { status: 200, headers, body: toTextStream(toPieces(context, { first, step, signal }), { signal, onEnd: done }) };
	} catch (error) {
		done();
		throw error;
	}
}

interface Walk {
	readonly first: Page<unknown>;
	readonly step: (after: Place) => Promise<Page<unknown>>;
	readonly signal: AbortSignal;
}

async function* toPieces({ logger, request }: Asking, { first, step, signal }: Walk): AsyncGenerator<string> {
	const breath = new Breath();
	try {
		let separator = "[";
		for (let page: Page<unknown> | undefined = first; page !== undefined; page = page.next && (await step(page.next))) {
			signal.throwIfAborted();
			if (page.items.length === 0) continue;
			yield separator + toJsonText(page.items).slice(1, -1);
			// A storage in this process may answer within the same turn of the event loop, again and again.
			await breath.take();
			separator = ",";
		}
		yield separator === "[" ? "[]" : "]";
	} catch (error) {
		if (!signal.aborted) {
			const told = error instanceof Error ? (error.stack ?? error.message) : String(error);
			logger.error("an answer was cut short", { path: toLoggedPath(new URL(request.url).pathname), error: told });
		}
		throw error;
	}
}
