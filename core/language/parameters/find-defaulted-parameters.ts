import { isDeepStrictEqual } from "node:util";
import { type FinalInput, withEmptyContext } from "./render.ts";
import { Rendering } from "./rendering.ts";
import { toSchemaPair } from "./schema-pair.ts";

/**
 * Returns the names of stored parameters whose value equals the rendered template of their default. They count as not set by the caller. A
 * re-run renders them again, so they follow a changed parameter and do not preserve a secret that has been replaced.
 */
export function findDefaultedParameters({
	runnerSchema,
	actionSchema,
	storedParameters,
	context,
	datastore,
}: FinalInput): ReadonlySet<string> {
	const schemaPair = toSchemaPair(runnerSchema, actionSchema);
	const isDerived = (name: string) => {
		const source = (otherName: string) => {
			const value = otherName !== name && Object.hasOwn(storedParameters, otherName) ? (storedParameters[otherName] ?? null) : null;
			return value === null ? schemaPair.defaults.get(otherName) : { value, isRendered: false };
		};
		const rendering = new Rendering(schemaPair.schema, { sourceOf: source, datastore, context: withEmptyContext(context) });
		try {
			return isDeepStrictEqual(rendering.resolve(name), storedParameters[name]);
		} catch {
			// A template that fails now rendered when the execution was stored. The stored value is kept, because it cannot be compared.
			return false;
		}
	};
	return new Set(schemaPair.templatedNames.filter((name) => Object.hasOwn(storedParameters, name) && isDerived(name)));
}
