import type { ActionEntity } from "../../../contract/index.ts";

/** An action of the built-in pack: what differs from one to the next. */
export function defineCoreAction(
	action: Pick<ActionEntity, "name" | "description" | "runner_type" | "parameters">,
): Omit<ActionEntity, "id"> {
	return {
		...action,
		ref: `core.${action.name}`,
		pack: "core",
		entry_point: "",
		enabled: true,
		metadata_file: null,
		output_schema: {},
		tags: [],
		notify: {},
		content: null,
	};
}
