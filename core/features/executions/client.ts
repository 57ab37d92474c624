import type { ApiClient, CallOptions } from "../../client/api-client.ts";
import type { ListPage, ListQuery } from "../../client/page.ts";
import { paginateByTime } from "../../client/paginate-by-time.ts";
import { faultOf } from "../../client/request.ts";
import {
	type ExecutionLogEntry,
	type ExecutionStatus,
	type GraphEdge,
	type GraphNode,
	type JsonObject,
	type JsonValue,
	type OutputType,
	parseJson,
	type TaskState,
} from "../../contract/index.ts";
import type { ActionRecord, RunnerTypeRecord } from "../actions/client-exports.ts";
import type { TriggerInstanceRecord, TriggerRecord, TriggerTypeRecord } from "../triggers/client-exports.ts";
import { type FollowOptions, followOutput, type OutputChunkRecord } from "./output-client.ts";

/** A rule as the API returns it. */
export interface RuleRecord {
	readonly id: string;
	readonly uid: string;
	readonly ref: string;
	readonly name: string;
	readonly pack: string;
	readonly description: string;
	readonly enabled: boolean;
	readonly type: { readonly ref: string; readonly parameters: JsonObject };
	readonly trigger: {
		readonly type: string;
		readonly ref?: string;
		/** What the trigger is, such as `webhook hello`. Absent if the trigger has been deleted. */
		readonly title?: string;
		readonly parameters: JsonObject;
		readonly description?: string;
	};
	readonly criteria: JsonObject;
	readonly action: { readonly ref: string; readonly parameters: JsonObject; readonly description?: string };
	readonly context: JsonObject;
	readonly tags: readonly JsonObject[];
	readonly metadata_file: string;
	/** Mistakes that prevent the rule from working, such as an action that does not exist; absent if there are none. */
	readonly problems?: readonly string[];
}

/** The part of an execution that describes its run, with the data that the runner gets. */
export interface LiveActionRecord {
	readonly id: string;
	/** Ref of the action: `<pack>.<action>`. */
	readonly action: string;
	readonly action_is_workflow: boolean;
	readonly parameters: JsonObject;
	readonly callback: JsonObject;
	readonly runner_info: JsonObject;
	readonly notify?: JsonObject;
}

/** An execution as the API returns it. */
export interface ExecutionRecord {
	readonly id: string;
	readonly status: ExecutionStatus;
	readonly start_timestamp: string;
	readonly end_timestamp?: string;
	readonly elapsed_seconds?: number;
	readonly log: readonly ExecutionLogEntry[];
	readonly parameters?: JsonObject;
	readonly result?: JsonObject;
	readonly result_size?: number;
	readonly context: JsonObject;
	readonly action: ActionRecord;
	readonly runner: RunnerTypeRecord;
	readonly liveaction: LiveActionRecord;
	readonly web_url: string;
	readonly parent?: string;
	readonly children?: readonly string[];
	/** Inquiries that a paused execution waits for, if it cannot be resumed before their answers. Only in responses for one execution. */
	readonly awaited_inquiries?: readonly string[];
	readonly delay?: number;
	/**
	 * Rule that started the execution, as it was at that time. `trigger`, `trigger_type` and `trigger_instance` describe that time as well.
	 * Records that the caller may not view contain only names.
	 */
	readonly rule?: Partial<RuleRecord>;
	readonly trigger?: Partial<TriggerRecord>;
	readonly trigger_type?: Partial<TriggerTypeRecord>;
	/** Members are missing if the trigger instance has been deleted since. */
	readonly trigger_instance?: Partial<TriggerInstanceRecord>;
}

/** Request to start an execution. */
export interface ExecutionInput {
	/** Ref of the action: `<pack>.<action>`. */
	readonly action: string;
	readonly parameters?: JsonObject;
	readonly user?: string | null;
	/** Context of the execution. `trace_context: { trace_tag }` or `{ id_ }` chooses the trace. */
	readonly context?: JsonObject;
	readonly notify?: JsonObject;
	readonly callback?: JsonObject;
	/** Milliseconds before the execution is scheduled. */
	readonly delay?: number;
}

/** Request to run an execution again, with changes. */
export interface RerunRequest {
	/** Parameters that override those of the first run. */
	readonly parameters?: JsonObject;
	readonly user?: string;
	readonly delay?: number;
	/** Tasks of a workflow to run again, with the tasks after them. Excludes `parameters`. A nested task has the form `a.b`. */
	readonly tasks?: readonly string[];
	/** Tasks among `tasks` that are reset: their items that succeeded run again as well. */
	readonly reset?: readonly string[];
}

/** Workflow definition used by a workflow execution, with its tasks. */
export interface RunGraphRecord {
	readonly nodes: readonly (GraphNode & { readonly tasks: readonly TaskState[] })[];
	/** `taken` is the number of times that the edge was followed. */
	readonly edges: readonly (GraphEdge & { readonly taken: number })[];
}

/** An event of the general stream. */
export interface StreamEventRecord {
	readonly name: string;
	readonly data: JsonValue;
}

/** Selection of a part of an output. */
export interface OutputOptions {
	/** Output type to select. Default: all. Lines are counted within the selected output. */
	readonly type?: OutputType;
	/** Number of the first line. Default 1. */
	readonly fromLine?: number;
	/** Maximum number of lines. Default: all. */
	readonly lines?: number;
	/**
	 * Text of at most 1,000 characters that selected lines contain; each line is preceded by its number and a colon. Default: every line,
	 * without numbers.
	 */
	readonly find?: string;
}

/** Selection of lines of an output. */
export interface OutputLinesOptions extends OutputOptions {
	/** True to select only lines of stderr and lines with a word such as `error`. Excludes `find`. Default false. */
	readonly trouble?: boolean;
}

/** Selected lines of an output. */
export interface OutputLinesRecord {
	/** Number of lines that the output has so far. */
	readonly total: number;
	/** Number of the line to continue with; null at the end. */
	readonly next_line: number | null;
	/** Value for `after` of `followOutput` that continues after these lines; null unless the output was read to its end. */
	readonly event_id: string | null;
	/** True if the last line of the output is not complete. */
	readonly last_line_open: boolean;
	readonly lines: readonly OutputLineRecord[];
}

/** A line of an output. */
export interface OutputLineRecord {
	/** Line number from 1; if a type was selected, counted within that type. */
	readonly line: number;
	readonly output_type: OutputType;
	readonly timestamp: string;
	/** First 4,096 characters of the line. */
	readonly text: string;
	/** Number of characters of the whole line. */
	readonly length: number;
}

/** Reason for a change of state, stored with the name of the user. */
export interface Reasoned extends CallOptions {
	/** Text of the reason, at most 1,000 characters. */
	readonly reason?: string | undefined;
}

/** Client for the executions of a service, their output, and the general stream. */
export interface ExecutionClient {
	readonly executions: {
		create(input: ExecutionInput, options?: CallOptions): Promise<ExecutionRecord>;
		/** Returns an execution by its id, or the most recently requested one for `last`. */
		get(id: string, options?: { readonly query?: ListQuery } & CallOptions): Promise<ExecutionRecord>;
		list(query?: ListQuery, options?: CallOptions): Promise<ListPage<ExecutionRecord>>;
		/**
		 * Yields all matching executions, the newest first. Reads them in pages, each of which continues at a start time: late pages are as
		 * cheap as early ones, and added or deleted executions cause no gaps. `limit` is the number of executions in a page, default 100.
		 */
		walk(query?: ListQuery, options?: { readonly oldestFirst?: boolean } & CallOptions): AsyncIterable<ExecutionRecord>;
		/** Requests cancellation of an execution. `refused` is the reason if it is no longer possible. */
		cancel(id: string, options?: Reasoned): Promise<{ readonly refused?: string }>;
		rerun(id: string, input: RerunRequest, options?: CallOptions): Promise<ExecutionRecord>;
		/** Requests that a workflow pauses. It is `pausing` while any of its tasks is active, then `paused`. */
		pause(id: string, options?: Reasoned): Promise<ExecutionRecord>;
		/** Requests that a paused workflow resumes. */
		resume(id: string, options?: Reasoned): Promise<ExecutionRecord>;
		/** Returns the tasks of a workflow in the order of their start, also while the workflow runs. */
		tasks(id: string, query?: ListQuery, options?: CallOptions): Promise<ListPage<TaskState>>;
		/** Returns the workflow definition used by a workflow execution, with its tasks. */
		graph(id: string, options?: CallOptions): Promise<RunGraphRecord>;
		/** Returns the values in use for each filter of `list`. */
		filterValues(options?: CallOptions): Promise<Readonly<Record<string, readonly (string | null)[]>>>;
		/** Returns the first `limit` descendants, depth first, in pages of `pageSize` (default 100). Default: all, in one response. */
		children(
			id: string,
			query?: { readonly depth?: number; readonly limit?: number; readonly pageSize?: number },
			options?: CallOptions,
		): Promise<readonly ExecutionRecord[]>;
		/** Returns the output so far, or some of its lines, as one string. */
		output(id: string, options?: OutputOptions & CallOptions): Promise<string>;
		/** Returns lines of the output so far, each with its number, type and time. `lines` is their number: default 100, at most 1,000. */
		outputLines(id: string, options?: OutputLinesOptions & CallOptions): Promise<OutputLinesRecord>;
	};
	/** Yields the output of one execution as it arrives, from the first chunk, or after `after`, to the end. Reopens lost connections. */
	followOutput(id: string, options?: FollowOptions): AsyncIterable<OutputChunkRecord>;
	/**
	 * Yields events of the general stream from now on. `events` is a comma-separated list of names, in which `*` matches any characters.
	 * `onOpen` is called once the subscription is active; the stream misses no event after that.
	 */
	stream(query?: ListQuery, options?: { readonly onOpen?: () => void } & CallOptions): AsyncIterable<StreamEventRecord>;
}

/** Default children per request: the default largest `limit` for users who are not administrators. */
const childrenPage = 100;

/** Creates the part of the client for executions. */
export function createExecutionClient(api: ApiClient): ExecutionClient {
	const { call, read, list } = api;
	const at = encodeURIComponent;
	const setStatus = (id: string, status: string, { reason, ...waiting }: Reasoned = {}) =>
		read<ExecutionRecord>(`/executions/${at(id)}`, {
			method: "PUT",
			body: { status, ...(reason !== undefined && { reason }) },
			...waiting,
		});
	return {
		executions: {
			create: (body, waiting) => read("/executions", { method: "POST", body, ...waiting }),
			get: (id, waiting) => read(`/executions/${at(id)}`, waiting),
			list: (query, waiting) => list("/executions", query, waiting),
			walk: (query = {}, { oldestFirst, ...waiting } = {}) =>
				paginateByTime<ExecutionRecord>({
					list: (page) => list("/executions", page, waiting),
					query,
					time: "start_timestamp",
					oldestFirst,
				}),
			async cancel(id, { reason, ...waiting } = {}) {
				const path = `/executions/${at(id)}`;
				const refused = faultOf(await (await call(path, { method: "DELETE", query: { reason }, ...waiting })).text());
				return refused === undefined ? {} : { refused };
			},
			rerun: (id, body, waiting) => read(`/executions/${at(id)}/re_run`, { method: "POST", body, ...waiting }),
			pause: (id, options) => setStatus(id, "pausing", options),
			resume: (id, options) => setStatus(id, "resuming", options),
			tasks: (id, query, waiting) => list(`/executions/${at(id)}/tasks`, query, waiting),
			graph: (id, waiting) => read(`/executions/${at(id)}/graph`, waiting),
			filterValues: (waiting) => read("/executions/views/filters", waiting),
			async children(id, { depth, limit, pageSize = childrenPage } = {}, waiting = {}) {
				const path = `/executions/${at(id)}/children`;
				if (limit === undefined) return read(path, { query: { depth }, ...waiting });
				const found: ExecutionRecord[] = [];
				for (let total = limit; found.length < Math.min(limit, total); ) {
					const query = { depth, limit: Math.min(pageSize, limit - found.length), offset: found.length };
					const page = await list<ExecutionRecord>(path, query, waiting);
					found.push(...page.items);
					if (page.items.length === 0) break;
					total = page.hasMore === true ? limit : (page.total ?? limit);
				}
				return found;
			},
			outputLines: (id, { type: output_type, fromLine: from_line, lines, find, trouble, signal } = {}) =>
				read(`/executions/${at(id)}/output/lines`, { query: { output_type, from_line, lines, find, trouble }, signal }),
			async output(id, { type, fromLine: from_line, lines, find, signal } = {}) {
				return (await call(`/executions/${at(id)}/output`, { query: { output_type: type, from_line, lines, find }, signal })).text();
			},
		},
		followOutput: (id, options = {}) => followOutput(api, id, options),
		stream: (query = {}, waiting = {}) => stream(api, query, waiting),
	};
}

async function* stream(
	{ events }: ApiClient,
	query: ListQuery,
	{ signal, onOpen }: { readonly onOpen?: () => void } & CallOptions,
): AsyncGenerator<StreamEventRecord> {
	try {
		for await (const { name, data } of events("/stream", { query, signal }, onOpen))
			yield { name, data: data === "" ? null : parseJson(data) };
	} catch (error) {
		if (!signal?.aborted) throw error;
	}
}
