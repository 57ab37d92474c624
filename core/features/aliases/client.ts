import type { Api } from "../../client/api.ts";
import type { ListPage, ListQuery } from "../../client/page.ts";
import type { AliasFormat, JsonObject } from "../../contract/index.ts";
import type { ExecutionRecord } from "../executions/client-api.ts";

/** An action alias as the API shows it. */
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
	/** What is said when the execution has been asked for. */
	readonly ack: {
		readonly enabled?: boolean;
		readonly format?: string | null;
		readonly append_url?: boolean;
		readonly extra?: JsonObject | null;
	};
	/** What is said when it has ended. */
	readonly result: { readonly enabled?: boolean; readonly format?: string | null; readonly extra?: JsonObject | null };
	readonly extra: JsonObject;
	/** Secrets are masked. */
	readonly immutable_parameters: JsonObject;
	readonly metadata_file: string;
	/** User who changed it last, with whose permissions its templates are rendered. Null for one of an earlier version. */
	readonly author: string | null;
}

/** What may be said of an action alias; name, action_ref and formats must be. */
export type AliasRequest = Pick<AliasRecord, "name" | "action_ref" | "formats"> & Partial<AliasRecord>;

/** The alias that a command fits, and by what. */
export interface AliasMatchRecord {
	readonly actionalias: AliasRecord;
	readonly display: string;
	readonly representation: string;
}

/** What may be written. */
export interface AliasHelpRecord {
	/** How many there are, whatever part of them is asked for. */
	readonly available: number;
	readonly helpstrings: readonly { readonly pack: string; readonly display: string; readonly description: string }[];
}

/** A command, and where it comes from. */
export interface CommandRequest {
	readonly command: string;
	readonly source_channel: string;
	/** Whoever wrote it. */
	readonly user?: string | null;
	/** Where the answer goes; without either there is none. */
	readonly notification_route?: string | null;
	readonly notification_channel?: string | null;
}

/** A command, with the format that the bridge has found for it. */
export interface AliasExecutionRequest extends CommandRequest {
	/** Name or ref of the alias. */
	readonly name: string;
	readonly format: string;
	/** Comes back unchanged with the answer. */
	readonly source_context?: JsonObject;
}

/** An execution that a command has started, and what is said about it. */
export interface AliasExecutionRecord {
	readonly execution: ExecutionRecord;
	readonly actionalias: AliasRecord;
	readonly message?: string;
	readonly extra?: JsonObject;
}

/** The action aliases of a service. */
export interface AliasClient {
	list(query?: ListQuery): Promise<ListPage<AliasRecord>>;
	/** By ref or id. */
	get(refOrId: string): Promise<AliasRecord>;
	create(alias: AliasRequest): Promise<AliasRecord>;
	/** Full replacement. */
	update(refOrId: string, alias: AliasRequest): Promise<AliasRecord>;
	remove(refOrId: string): Promise<void>;
	/** What may be written: `pack`, `filter` (a regular expression), `limit`, `offset`. */
	help(query?: ListQuery): Promise<AliasHelpRecord>;
	/** The one alias that a command fits; `SVC_INVALID` where none does, or several do. */
	match(command: string): Promise<AliasMatchRecord>;
	/** Start what a command asks for by one format; `results` holds all of several. */
	execute(request: AliasExecutionRequest): Promise<AliasExecutionRecord & { readonly results?: readonly AliasExecutionRecord[] }>;
	/** Start what a command asks for by the alias that it fits. */
	matchAndExecute(request: CommandRequest): Promise<readonly AliasExecutionRecord[]>;
}

export function createAliasClient({ read, list, call }: Api): AliasClient {
	const at = (refOrId: string) => `/actionalias/${encodeURIComponent(refOrId)}`;
	return {
		list: (query) => list("/actionalias", query),
		get: (ref) => read(at(ref)),
		create: (body) => read("/actionalias", { method: "POST", body }),
		update: (ref, body) => read(at(ref), { method: "PUT", body }),
		async remove(ref) {
			await call(at(ref), { method: "DELETE" });
		},
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
