import type { ApiClient, CallOptions } from "../../client/api-client.ts";
import type { ListPage, ListQuery } from "../../client/page.ts";
import type { ActionEntity, ParameterDefinitions, RunnerTypeEntity } from "../../contract/index.ts";

/** An action in a response of the API. */
export interface ActionRecord extends Omit<ActionEntity, "metadata_file" | "content"> {
	readonly uid: string;
	/** Path of the file that the action was registered from. */
	readonly metadata_file?: string;
}

/** A runner type in a response of the API. */
export interface RunnerTypeRecord extends Omit<RunnerTypeEntity, "output_key"> {
	readonly uid: string;
	/** Member of the result that contains the printed output. */
	readonly output_key?: string;
}

/** Client for the actions of a service and for their runner types. */
export interface ActionClient {
	readonly actions: {
		get(refOrId: string, options?: CallOptions): Promise<ActionRecord>;
		list(query?: ListQuery, options?: CallOptions): Promise<ListPage<ActionRecord>>;
		/** Returns all parameters of an action: its own and those of its runner type. */
		parameters(refOrId: string, options?: CallOptions): Promise<ParameterDefinitions>;
		/** Returns the content of an action's entry point: a script or a definition. */
		entryPoint(refOrId: string, options?: CallOptions): Promise<string>;
	};
	readonly runnerTypes: {
		get(nameOrId: string, options?: CallOptions): Promise<RunnerTypeRecord>;
		list(query?: ListQuery, options?: CallOptions): Promise<ListPage<RunnerTypeRecord>>;
	};
}

export function createActionClient({ call, read, list }: ApiClient): ActionClient {
	const at = encodeURIComponent;
	return {
		actions: {
			get: (ref, waiting) => read(`/actions/${at(ref)}`, waiting),
			list: (query, waiting) => list("/actions", query, waiting),
			async parameters(ref, waiting) {
				const { parameters } = await read<{ parameters: ParameterDefinitions }>(`/actions/views/parameters/${at(ref)}`, waiting);
				return parameters;
			},
			entryPoint: async (ref, waiting) => (await call(`/actions/views/entry_point/${at(ref)}`, waiting)).text(),
		},
		runnerTypes: {
			get: (name, waiting) => read(`/runnertypes/${at(name)}`, waiting),
			list: (query, waiting) => list("/runnertypes", query, waiting),
		},
	};
}
