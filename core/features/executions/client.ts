import type { Api, Waiting } from "../../client/api.ts";
import type { ListPage, ListQuery } from "../../client/page.ts";
import { faultOf } from "../../client/request.ts";
import { walkByTime } from "../../client/walk-by-time.ts";
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
import type { ActionRecord, RunnerTypeRecord } from "../actions/client-api.ts";
import type { TriggerInstanceRecord, TriggerRecord, TriggerTypeRecord } from "../triggers/client-api.ts";
import { type FollowOptions, followOutput, type OutputChunkRecord } from "./output-client.ts";

/** A rule as the API shows it. */
export interface RuleRecord {
	readonly id: string;
	readonly uid: string;
	readonly ref: string;
	readonly name: string;
	readonly pack: string;
	readonly description: string;
	readonly enabled: boolean;
	readonly type: { readonly ref: string; readonly parameters: JsonObject };
	readonly trigger: { readonly type: string; readonly ref?: string; readonly parameters: JsonObject; readonly description?: string };
	readonly criteria: JsonObject;
	readonly action: { readonly ref: string; readonly parameters: JsonObject; readonly description?: string };
	readonly context: JsonObject;
	readonly tags: readonly JsonObject[];
	readonly metadata_file: string;
	/** Mistakes that keep the rule from working, such as an action that does not exist; absent if there are none. */
	readonly problems?: readonly string[];
}

/** What of an execution its runner sees. */
export interface LiveActionRecord {
	readonly id: string;
	/** `<pack>.<action>`. */
	readonly action: string;
	readonly action_is_workflow: boolean;
	readonly parameters: JsonObject;
	readonly callback: JsonObject;
	readonly runner_info: JsonObject;
	readonly notify?: JsonObject;
}

/** An execution as the API shows it. */
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
	/** Of a paused execution that is read by itself: inquiries whose answers it waits for, if it cannot be resumed before. */
	readonly awaited_inquiries?: readonly string[];
	readonly delay?: number;
	/** Of executions that a rule has started: as it was then, and names alone of what one may not see. So are the next three. */
	readonly rule?: Partial<RuleRecord>;
	readonly trigger?: Partial<TriggerRecord>;
	readonly trigger_type?: Partial<TriggerTypeRecord>;
	/** Without what has been removed since. */
	readonly trigger_instance?: Partial<TriggerInstanceRecord>;
}

/** What is to be run. */
export interface ExecutionInput {
	/** `<pack>.<action>`. */
	readonly action: string;
	readonly parameters?: JsonObject;
	readonly user?: string | null;
	/** `trace_context: { trace_tag }` or `{ id_ }` chooses the trace. */
	readonly context?: JsonObject;
	readonly notify?: JsonObject;
	readonly callback?: JsonObject;
	/** Milliseconds before it is scheduled. */
	readonly delay?: number;
}

/** What to change when an execution is run again. */
export interface RerunRequest {
	/** Laid over the parameters of the first run. */
	readonly parameters?: JsonObject;
	readonly user?: string;
	readonly delay?: number;
	/** Of a workflow: run these tasks again, and what comes behind them; without `parameters`. A task of a task is `a.b`. */
	readonly tasks?: readonly string[];
	/** Those of the tasks that begin anew, with items that have succeeded. */
	readonly reset?: readonly string[];
}

/** The definition that a run of a workflow has, with its tasks. */
export interface RunGraphRecord {
	readonly nodes: readonly (GraphNode & { readonly tasks: readonly TaskState[] })[];
	/** `taken`: how often. */
	readonly edges: readonly (GraphEdge & { readonly taken: number })[];
}

/** An event of the general stream. */
export interface StreamEventRecord {
	readonly name: string;
	readonly data: JsonValue;
}

/** Which part of an output is wanted. */
export interface OutputOptions {
	/** Only this type. Default: all. Lines are counted in what is left. */
	readonly type?: OutputType;
	/** Number of the first line. Default 1. */
	readonly fromLine?: number;
	/** How many lines at most. Default: all. */
	readonly lines?: number;
	/** Only lines with this text, of at most 1,000 characters, each behind its number and a colon. Default: every line, without numbers. */
	readonly find?: string;
}

/** Which lines of an output are wanted, one by one. */
export interface OutputLinesOptions extends OutputOptions {
	/** Only lines of stderr, and lines with a word such as `error`; not together with `find`. Default false. */
	readonly trouble?: boolean;
}

/** Lines of an output. */
export interface OutputLinesRecord {
	/** How many the output has so far. */
	readonly total: number;
	/** Where to go on; null at the end. */
	readonly next_line: number | null;
	/** Where the output was read to its end: what `followOutput` goes on behind. Else null. */
	readonly event_id: string | null;
	/** Whether its last line goes on. */
	readonly last_line_open: boolean;
	readonly lines: readonly OutputLineRecord[];
}

/** A line of an output. */
export interface OutputLineRecord {
	/** From 1; with a type, counted in that type alone. */
	readonly line: number;
	readonly output_type: OutputType;
	readonly timestamp: string;
	/** At most 4,096 characters of it. */
	readonly text: string;
	/** How many characters it has. */
	readonly length: number;
}

/** Why a state is changed: kept with the name of the user. */
export interface Reasoned extends Waiting {
	/** At most 1,000 characters. */
	readonly reason?: string | undefined;
}

/** The executions of a service, their output, and its events. */
export interface ExecutionClient {
	readonly executions: {
		create(input: ExecutionInput, options?: Waiting): Promise<ExecutionRecord>;
		/** By id, or `last` for the most recently scheduled one. */
		get(id: string, options?: { readonly query?: ListQuery } & Waiting): Promise<ExecutionRecord>;
		list(query?: ListQuery, options?: Waiting): Promise<ListPage<ExecutionRecord>>;
		/**
		 * All that match, the newest first, however many: page by page, each as quick as the first, whatever is added or removed meanwhile. `limit` is
		 * how many a request asks for, default 100.
		 */
		walk(query?: ListQuery, options?: { readonly oldestFirst?: boolean } & Waiting): AsyncIterable<ExecutionRecord>;
		/** Ask for the end of an execution; `refused` says why that is no longer possible. */
		cancel(id: string, options?: Reasoned): Promise<{ readonly refused?: string }>;
		rerun(id: string, input: RerunRequest, options?: Waiting): Promise<ExecutionRecord>;
		/** Ask a workflow to pause: `pausing` until nothing of it is active any more, then `paused`. */
		pause(id: string, options?: Reasoned): Promise<ExecutionRecord>;
		/** Ask a paused workflow to go on. */
		resume(id: string, options?: Reasoned): Promise<ExecutionRecord>;
		/** The tasks of a workflow in the order of their start, also while it runs. */
		tasks(id: string, query?: ListQuery, options?: Waiting): Promise<ListPage<TaskState>>;
		/** The definition that a run of a workflow has, with its tasks. */
		graph(id: string, options?: Waiting): Promise<RunGraphRecord>;
		/** The values in use for each filter of `list`. */
		filterValues(options?: Waiting): Promise<Readonly<Record<string, readonly (string | null)[]>>>;
		/** The first `limit` descendants, depth first, page by page. Default: all, in one answer. */
		children(
			id: string,
			query?: { readonly depth?: number; readonly limit?: number },
			options?: Waiting,
		): Promise<readonly ExecutionRecord[]>;
		/** The output so far, or some lines of it, as one text. */
		output(id: string, options?: OutputOptions & Waiting): Promise<string>;
		/** Lines of the output so far, 100 unless `lines` says how many (1,000 at most), each with its number, type and time. */
		outputLines(id: string, options?: OutputLinesOptions & Waiting): Promise<OutputLinesRecord>;
	};
	/** Output of one execution as it arrives, from the first chunk (or behind `after`) to the end, over lost connections. */
	followOutput(id: string, options?: FollowOptions): AsyncIterable<OutputChunkRecord>;
	/**
	 * Events of the general stream from now on: `events` is a comma list of names, in which `*` stands for anything. `onOpen` is called when
	 * nothing that happens from then on is missed.
	 */
	stream(query?: ListQuery, options?: { readonly onOpen?: () => void } & Waiting): AsyncIterable<StreamEventRecord>;
}

/** Children per request: the default largest `limit` for users who are not administrators. */
const childrenPage = 100;

export function createExecutionClient(api: Api): ExecutionClient {
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
				walkByTime<ExecutionRecord>({ list: (page) => list("/executions", page, waiting), query, time: "start_timestamp", oldestFirst }),
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
			async children(id, { depth, limit } = {}, waiting = {}) {
				const path = `/executions/${at(id)}/children`;
				if (limit === undefined) return read(path, { query: { depth }, ...waiting });
				const found: ExecutionRecord[] = [];
				for (let total = limit; found.length < Math.min(limit, total); ) {
					const query = { depth, limit: Math.min(childrenPage, limit - found.length), offset: found.length };
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
	{ events }: Api,
	query: ListQuery,
	{ signal, onOpen }: { readonly onOpen?: () => void } & Waiting,
): AsyncGenerator<StreamEventRecord> {
	try {
		for await (const { name, data } of events("/stream", { query, signal }, onOpen))
			yield { name, data: data === "" ? null : parseJson(data) };
	} catch (error) {
		if (!signal?.aborted) throw error;
	}
}
