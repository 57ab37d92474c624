import type { ActionEntity } from "../../../contract/index.ts";

/** Returns an action of the core pack. The other built-in packs replace its `ref` and `pack`. */
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
