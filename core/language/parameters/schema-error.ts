import type { ErrorObject } from "ajv";

/**
 * Returns the error that says most about a value, of those that a validator has found; undefined if there are none. If the value fits none of
 * several alternatives, that is the error of the alternative whose type the value has, or else one that names the types of all of them.
 */
export function findTellingError(errors: readonly ErrorObject[]): ErrorObject | undefined {
	const last = errors.at(-1);
	if (last === undefined || !isOfAlternatives(last)) return errors[0];
	const inner = errors.filter((error) => !isOfAlternatives(error) && error.instancePath.startsWith(last.instancePath));
	const isTypeOfValue = (error: ErrorObject) => error.keyword === "type" && error.instancePath === last.instancePath;
	const fitting = inner.filter((error) => !isTypeOfValue(error));
	if (fitting.length > 0) return fitting.reduce((best, error) => (error.instancePath.length > best.instancePath.length ? error : best));
	const types = [...new Set(inner.filter(isTypeOfValue).flatMap(typesOf))];
	return types.length === 0 ? last : { ...last, keyword: "type", params: { type: types } };
}

/** Describes what is allowed, such as `must be from 0 to 59`. `schema` is what the validator was made of. */
export function describeError(error: ErrorObject, schema: unknown): string {
	if (error.keyword === "type") return `must be ${typesOf(error).join(" or ")}`;
	if (error.keyword === "minimum" || error.keyword === "maximum") {
		const { minimum, maximum } = (schemaAt(schema, parentOf(error.schemaPath)) ?? {}) as { minimum?: unknown; maximum?: unknown };
		if (typeof minimum === "number" && typeof maximum === "number") return `must be from ${minimum} to ${maximum}`;
	}
	return error.message ?? "is not valid";
}

/** Returns the part of a schema at a path such as `#/items/not`; undefined if there is none. */
export function schemaAt(schema: unknown, schemaPath: string): unknown {
	let part: unknown = schema;
	for (const name of schemaPath.split("/").slice(1)) {
		const key = decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~");
		part = (part as Readonly<Record<string, unknown>> | undefined)?.[key];
	}
	return part;
}

function isOfAlternatives({ keyword }: ErrorObject): boolean {
	return keyword === "anyOf" || keyword === "oneOf";
}

function typesOf(error: ErrorObject): readonly string[] {
	return [error.params["type"] as string | readonly string[]].flat();
}

function parentOf(schemaPath: string): string {
	return schemaPath.slice(0, schemaPath.lastIndexOf("/"));
}
