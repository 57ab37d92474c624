import { type ListCursor, type Paging as ListPart, listStart, type Page } from "../kernel/basics/pagination.ts";
import { EventLoopYield } from "../lib/event-loop.ts";
import { toJsonText } from "./json-cache.ts";
import { type Paging, toCountHeaders } from "./paging.ts";
import { toLoggedPath } from "./redacted-path.ts";
import { type Reply, replyJson } from "./replies.ts";
import type { RouteContext } from "./route.ts";
import { toTextStream } from "./sse.ts";

/** Records per batch if the whole list is requested. */
const batchSize = 100;

type ListContext = Pick<RouteContext, "openStream" | "logger" | "request">;

/**
 * Returns the reply with a page of a list, or with the whole list if `paging` has no limit. `read` returns the wire records of a
 * part of the list.
 *
 * The whole list is read and sent in batches, at the speed of the client. So no more than one batch is in memory at once. The response
 * counts as a stream: it ends when the credential becomes invalid, and throws `SVC_TOO_MANY` if the user has too many streams. An error
 * after the response has begun closes the connection, so that the client notices that the list is incomplete.
 */
export async function replyPageOrAll(
	context: ListContext,
	paging: Paging,
	read: (part: ListPart) => Promise<Page<unknown>>,
): Promise<Reply> {
	if (paging.limit !== undefined) {
		const { items, total } = await read(paging);
		return replyJson(items, 200, toCountHeaders(total, paging));
	}
	const { signal, done } = context.openStream();
	const readBatch = (after: ListCursor) => read({ ...paging, limit: batchSize, after });
	try {
		const first = await readBatch(listStart);
		const counts = toCountHeaders(first.total, paging);
		if (first.next === undefined) {
			done();
			return replyJson(first.items, 200, counts);
		}
		const headers = { "content-type": "application/json", ...counts };
		return { status: 200, headers, body: toTextStream(toJsonPieces(context, { first, readBatch, signal }), { signal, onEnd: done }) };
	} catch (error) {
		done();
		throw error;
	}
}

/** A list that is being sent. */
interface ListRead {
	readonly first: Page<unknown>;
	/** Reads the batch after the given position. */
	readonly readBatch: (after: ListCursor) => Promise<Page<unknown>>;
	readonly signal: AbortSignal;
}

/** Yields the JSON text of the list, one batch at a time. */
async function* toJsonPieces({ logger, request }: ListContext, { first, readBatch, signal }: ListRead): AsyncGenerator<string> {
	const eventLoopYield = new EventLoopYield();
	try {
		let separator = "[";
		for (let page: Page<unknown> | undefined = first; page !== undefined; page = page.next && (await readBatch(page.next))) {
			signal.throwIfAborted();
			if (page.items.length === 0) continue;
			yield separator + toJsonText(page.items).slice(1, -1);
			// A storage in this process may answer within the same turn of the event loop. A long list would then block all other requests.
			await eventLoopYield.yieldIfDue();
			separator = ",";
		}
		yield separator === "[" ? "[]" : "]";
	} catch (error) {
		if (!signal.aborted) {
			const errorText = error instanceof Error ? (error.stack ?? error.message) : String(error);
			logger.error("a streamed response was aborted", { path: toLoggedPath(new URL(request.url).pathname), error: errorText });
		}
		throw error;
	}
}
