import { isJsonObject, type JsonObject, type JsonValue, type TriggerInstanceEntity } from "../../contract/index.ts";
import type { PermissionType } from "../../kernel/basics/permission-types.ts";
import type { Resource } from "../../kernel/basics/refs.ts";
import { toActionResource } from "../../kernel/basics/refs.ts";
import { itemRefs } from "../datastore/item-refs-api.ts";
import { triggerRefs } from "./trigger-refs-api.ts";

/** A permission, and what it is asked for. */
export type Need = readonly [permission: PermissionType, resource: Resource];

const completions: ReadonlySet<string> = new Set([triggerRefs.action, triggerRefs.notify]);
const itemEvents: ReadonlySet<string> = new Set(Object.values(itemRefs));

/**
 * What it takes to see the records that a payload tells of: the result of an execution, the values of datastore items. Whoever may not
 * see those may not get at them by the event either. Nothing for events that tell of themselves only.
 */
export function toNeeds({ trigger_type: type, payload: given }: TriggerInstanceEntity): readonly Need[] {
	const payload: JsonObject = given ?? {};
	if (completions.has(type)) return [["execution_view", toActionResource(toText(payload["action_ref"]))]];
	if (!itemEvents.has(type)) return [];
	const items = [payload["object"], payload["old_object"], payload["new_object"]].filter((item) => item !== undefined);
	return items.map((item) => ["key_value_pair_view", toItemResource(item)]);
}

/** By its own account of whose it is: events of the service's types come from the service, and from those who may send any. */
function toItemResource(item: JsonValue): Resource {
	const { uid, user } = isJsonObject(item) ? item : {};
	return { uid: toText(uid), ...(typeof user === "string" && { owner: user }) };
}

/** Of what is no text, an empty one: nobody has a grant on it. */
function toText(value: JsonValue | undefined): string {
	return typeof value === "string" ? value : "";
}
