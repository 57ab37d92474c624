import type { JsonObject } from "../../core/contract/index.ts";
import {
	type ApiClient,
	createRecordClient,
	type ExecutionRecord,
	type ListQuery,
	type RecordClient,
} from "../../core/features/clients.ts";
import type { AliasFormat } from "./entities.ts";

/** Action alias as the API returns it. */
export interface AliasRecord {
	readonly id: string;
	readonly uid: string;
	readonly ref: string;
	readonly name: string;
	readonly pack: string;
	readonly description: string;
	readonly enabled: boolean;
	/** Ref of the action. */
	readonly action_ref: string;
	readonly formats: readonly AliasFormat[];
	/** Acknowledgement that is sent when the executions have been started. */
	readonly ack: {
		readonly enabled?: boolean;
		readonly format?: string | null;
		readonly append_url?: boolean;
		readonly extra?: JsonObject | null;
	};
	/** Message that is sent when the execution has ended. */
	readonly result: { readonly enabled?: boolean; readonly format?: string | null; readonly extra?: JsonObject | null };
	readonly extra: JsonObject;
	/** Fixed values; secrets are masked. */
	readonly immutable_parameters: JsonObject;
	readonly metadata_file: string;
	/**
	 * User who last created or replaced the alias. Its templates are rendered with the permissions of this user. Null if an earlier
	 * version stored the alias.
	 */
	readonly author: string | null;
}

/** Request body of an action alias. Only name, action_ref and formats are required. */
export type AliasRequest = Pick<AliasRecord, "name" | "action_ref" | "formats"> & Partial<AliasRecord>;

/** Alias that a command matches, with the matching format. */
export interface AliasMatchRecord {
	readonly actionalias: AliasRecord;
	readonly display: string;
	readonly representation: string;
}

/** Commands that chat users can send. */
export interface AliasHelpRecord {
	/** Total number of commands, regardless of the requested page. */
	readonly available: number;
	readonly helpstrings: readonly { readonly pack: string; readonly display: string; readonly description: string }[];
}

/** Command and its origin. */
export interface CommandRequest {
	readonly command: string;
	readonly source_channel: string;
	/** User who wrote the command. */
	readonly user?: string | null;
	/** Route of the answer. Without a route or a channel, no answer is sent. */
	readonly notification_route?: string | null;
	readonly notification_channel?: string | null;
}

/** Command with the format that the chat bridge has matched. */
export interface AliasExecutionRequest extends CommandRequest {
	/** Name or ref of the alias. */
	readonly name: string;
	readonly format: string;
	/** Data that is returned unchanged with the answer. */
	readonly source_context?: JsonObject;
}

/** Execution that a command has started, and the acknowledgement. */
export interface AliasExecutionRecord {
	readonly execution: ExecutionRecord;
	readonly actionalias: AliasRecord;
	readonly message?: string;
	readonly extra?: JsonObject;
}

/** Client for the action aliases of a service. */
export interface AliasClient extends RecordClient<AliasRecord, AliasRequest> {
	/** Lists the commands that chat users can send. Query: `pack`, `filter` (a regular expression), `limit`, `offset`. */
	help(query?: ListQuery): Promise<AliasHelpRecord>;
	/** Returns the only alias that a command matches. Throws `SVC_INVALID` if none or several match. */
	match(command: string): Promise<AliasMatchRecord>;
	/** Matches a command against one format and starts the executions. If there are several, `results` contains all of them. */
	execute(request: AliasExecutionRequest): Promise<AliasExecutionRecord & { readonly results?: readonly AliasExecutionRecord[] }>;
	/** Finds the alias that a command matches and starts the executions that the command requests. */
	matchAndExecute(request: CommandRequest): Promise<readonly AliasExecutionRecord[]>;
}

export function createAliasClient(api: ApiClient): AliasClient {
	const { read } = api;
	return {
		...createRecordClient(api, "/actionalias"),
		help: (query = {}) => read("/actionalias/help", { query }),
		match: (command) => read("/actionalias/match", { method: "POST", body: { command } }),
		execute: (body) => read("/aliasexecution", { method: "POST", body }),
		async matchAndExecute(body) {
			const { results } = await read<{ readonly results: readonly AliasExecutionRecord[] }>("/aliasexecution/match_and_execute", {
				method: "POST",
				body,
			});
			return results;
		},
	};
}
