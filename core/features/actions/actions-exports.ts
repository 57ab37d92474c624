import type { ActionEntity, JsonObject, ParameterDefinitions, RunnerTypeEntity } from "../../contract/index.ts";
import type { Page, Paging } from "../../kernel/basics/pagination.ts";
import type { Principal } from "../../kernel/basics/principal.ts";

/** Body of a request that creates or updates an action. */
export interface ActionInput {
	readonly name: string;
	readonly pack?: string;
	readonly description?: string;
	readonly runner_type: string;
	readonly entry_point?: string;
	readonly enabled?: boolean;
	readonly parameters?: JsonObject;
	readonly output_schema?: JsonObject;
	readonly tags?: readonly JsonObject[];
	readonly notify?: JsonObject;
	readonly metadata_file?: string;
	readonly data_files?: readonly { readonly file_path: string; readonly content: string }[];
}

/** Filter of a list of actions. */
export interface ActionFilter {
	readonly id?: string | readonly string[] | undefined;
	readonly name?: string | readonly string[] | undefined;
	readonly pack?: string | undefined;
	/** Name of a tag. */
	readonly tags?: string | undefined;
}

export interface ActionListing extends Paging {
	/** Fields to read; all other fields are absent. Default: all. */
	readonly fields?: readonly (keyof ActionEntity)[];
}

/** The actions of an engine. */
export interface Actions {
	list(filter: ActionFilter, listing: ActionListing): Promise<Page<ActionEntity>>;
	/** Returns the action with this ref or id. Throws `SVC_NOT_FOUND`. */
	get(refOrId: string): Promise<ActionEntity>;
	/**
	 * Creates an action. Like the other methods, throws `SVC_FORBIDDEN` for files that are not the action's own unless the principal has
	 * permissions on the pack.
	 *
	 * @param principal the caller; default: the embedding program itself, which may do everything
	 */
	create(input: ActionInput, principal?: Principal): Promise<ActionEntity>;
	/** Replaces all fields. `********` as the default of a parameter that was and stays secret keeps the stored default. */
	update(refOrId: string, input: ActionInput, principal?: Principal): Promise<ActionEntity>;
	remove(refOrId: string, options: { readonly removeFiles: boolean }, principal?: Principal): Promise<void>;
	clone(
		refOrId: string,
		target: { readonly dest_pack: string; readonly dest_action: string; readonly overwrite: boolean },
		principal?: Principal,
	): Promise<ActionEntity>;
	/** Returns for each action the parameters of its runner type; none if the runner type is not registered. */
	runnerParameters(actions: readonly ActionEntity[]): Promise<readonly ParameterDefinitions[]>;
	/** Returns the content of the entry point and its path. Throws `SVC_NOT_FOUND` if it does not exist. */
	entryPoint(refOrId: string): Promise<{ readonly path: string; readonly text: string }>;
}

/** The runner types of an engine. */
export interface RunnerTypes {
	list(
		filter: Pick<ActionFilter, "id" | "name">,
		/** The default order is by name. */
		page: Paging & {
			readonly orderBy?: readonly (readonly [keyof RunnerTypeEntity & ("id" | "name"), "asc" | "desc"])[];
		},
	): Promise<Page<RunnerTypeEntity>>;
	/** Returns the runner type with this name or id. Throws `SVC_NOT_FOUND`. */
	get(nameOrId: string): Promise<RunnerTypeEntity>;
	setEnabled(nameOrId: string, enabled: boolean): Promise<RunnerTypeEntity>;
}
