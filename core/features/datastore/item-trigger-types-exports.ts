import type { Resource } from "../../kernel/basics/refs.ts";

/** Refs of the trigger types for changes of items. */
export const itemTriggerTypeRefs = {
	create: "core.svc.key_value_pair.create",
	update: "core.svc.key_value_pair.update",
	valueChange: "core.svc.key_value_pair.value_change",
	delete: "core.svc.key_value_pair.delete",
} as const;

/** Returns the resource of a system item by its name. */
export function systemItemResource(name: string): Resource {
	return { uid: `key_value_pair:svckv.system:${name}` };
}
