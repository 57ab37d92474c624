import { randomBytes } from "node:crypto";
import {
	defineSensor,
	type JsonObject,
	parseJson,
	poll,
	type SensorContext,
	type SensorPlugin,
	stringifyJson,
} from "../../core/contract/index.ts";
import { assertOptions, type HttpPollOptions, toUrl } from "./options.ts";
import { type PollResponse, sendPollRequest } from "./poll-request.ts";

export type { HttpPollOptions };

const defaultName = "http-poll";
const triggerType = "http_poll.answer";
const ref = `default.${triggerType}`;
/** Name under which the sensor stores the previous response. */
const stateName = "seen";

/** Polls a URL periodically and dispatches `default.http_poll.answer` when the response has changed. */
export function httpPoll(options: HttpPollOptions): SensorPlugin {
	// Plain JavaScript may omit the options; `toUrl` then reports that `url` is missing.
	const { name = defaultName, interval = 60 } = options ?? {};
	return defineSensor(name, () => {
		const look = createLook(toUrl(options?.url), { ...options, name });
		return {
			description: "Dispatches changes in the response of a URL.",
			poll_interval: interval,
			trigger_types: [{ name: triggerType, description: "A URL was polled and responded.", payload_schema: payloadSchema }],
			check: async () => assertOptions({ ...options }),
			run: (context) => poll(context, context.poll_interval ?? interval, () => look(context)),
		};
	})();
}

const text = { type: "string" };
const integer = { type: "integer" };
const payloadSchema: JsonObject = {
	type: "object",
	properties: {
		sensor: text,
		url: text,
		status_code: integer,
		headers: { type: "object" },
		body: {},
		truncated: { type: "boolean" },
		changed: { type: "array", items: text },
		previous_status_code: { anyOf: [integer, { type: "null" }] },
	},
};

function createLook(url: URL, options: HttpPollOptions & { readonly name: string }): (context: SensorContext) => Promise<void> {
	const {
		dispatch = "change",
		headers = {},
		timeout = 30,
		allow_redirects: allowRedirects = false,
		max_body: maxBody = 1_048_576,
	} = options;

	return async ({ state, signal, dispatch: tell }) => {
		const before = await readSeen(state, url);
		// If every response is dispatched, do not let the server answer 304.
		const conditions = before === undefined || dispatch === "always" ? {} : toConditions(before);
		const answer = await sendPollRequest({ url, headers: { ...conditions, ...headers }, timeout, allowRedirects, maxBody, signal });
		if (answer === undefined) return;
		const after = toSeen(url, answer);
		const changed = before === undefined ? [] : findChanges(before, after);
		const { body_hash, ...shown } = answer;
		const payload = { sensor: options.name, url: url.href, ...shown, changed, previous_status_code: before?.status_code ?? null };
		if (dispatch === "always") await tell(ref, payload);
		// The key contains the id of the previous response. If a poll is repeated after a crash, the same response therefore becomes the same
		// event.
		else if (before !== undefined && changed.length > 0) {
			await tell(ref, payload, { uniqueKey: `${before.id}:${after.status_code}:${body_hash}` });
		}
		const isNew = before === undefined || changed.length > 0;
		if (isNew || before.etag !== after.etag || before.last_modified !== after.last_modified) {
			await state.set(stateName, stringifyJson(after));
		}
	};
}

/** Returns the previous response, or undefined if this URL was not polled yet. */
async function readSeen(state: SensorContext["state"], url: URL): Promise<Seen | undefined> {
	const kept = await state.get(stateName);
	const seen = kept === undefined ? undefined : (parseJson(kept) as unknown as Seen);
	return seen?.url === url.href ? seen : undefined;
}

/** Stored data of the previous response. */
interface Seen {
	/** Random id, with which an event refers to the preceding response. */
	readonly id: string;
	/** The polled URL; responses of different URLs are not compared. */
	readonly url: string;
	readonly status_code: number;
	readonly body_hash: string;
	readonly etag: string | null;
	readonly last_modified: string | null;
}

function toSeen(url: URL, { status_code, body_hash, headers }: PollResponse): Seen {
	const { etag = null, "last-modified": last_modified = null } = headers;
	return { id: randomBytes(8).toString("hex"), url: url.href, status_code, body_hash, etag, last_modified };
}

/** Returns conditional headers. With them, the server responds with 304 if the response has not changed. */
function toConditions({ etag, last_modified, status_code }: Seen): Readonly<Record<string, string>> {
	// Send no conditions if the last status was not 200: a 304 would then not mean that the content is unchanged.
	if (status_code !== 200) return {};
	return {
		...(etag !== null && { "if-none-match": etag }),
		...(last_modified !== null && { "if-modified-since": last_modified }),
	};
}

type ChangedMember = "status_code" | "body";

function findChanges(before: Seen, after: Seen): readonly ChangedMember[] {
	const changes: ChangedMember[] = [];
	if (before.status_code !== after.status_code) changes.push("status_code");
	if (before.body_hash !== after.body_hash) changes.push("body");
	return changes;
}
