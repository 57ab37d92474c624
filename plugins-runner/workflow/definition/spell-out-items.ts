import type { JsonObject, JsonValue } from "../../../core/contract/index.ts";
import { isObject } from "./is-object.ts";
import type { WrittenValues } from "./source.ts";

/** A definition in which each `with` that is a text has become an object with `items`. */
export function spellOutItems(definition: JsonObject, written: WrittenValues): JsonObject {
	const { tasks } = definition;
	if (!Object.hasOwn(definition, "tasks") || !isObject(tasks)) return definition;
	const spelled = mapMembers(tasks, (task) => (isObject(task) ? spellOutTask(task, written) : task), written);
	return mapMembers(definition, (value, name) => (name === "tasks" ? spelled : value), written);
}

function spellOutTask(task: JsonObject, written: WrittenValues): JsonObject {
	const text = Object.hasOwn(task, "with") ? task["with"] : undefined;
	if (typeof text !== "string") return task;
	const items = { items: text };
	const place = written.get(task)?.get("with");
	if (place !== undefined) written.set(items, new Map([["items", place]]));
	return mapMembers(task, (value, name) => (name === "with" ? items : value), written);
}

/** Another object with the same lines. */
function mapMembers(object: JsonObject, change: (value: JsonValue, name: string) => JsonValue, written: WrittenValues): JsonObject {
	const changed = Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value, name)]));
	const places = written.get(object);
	if (places !== undefined) written.set(changed, places);
	return changed;
}
