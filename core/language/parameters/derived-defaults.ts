import { isDeepStrictEqual } from "node:util";
import { type FinalInput, withEmptyContext } from "./render.ts";
import { Rendering } from "./rendering.ts";
import { toPlan } from "./schema-pair.ts";

/**
 * Names of stored parameters that hold just what the template of their default makes of the others: nobody gave them. A re-run
 * makes them anew, so that they follow a parameter that is changed, and a secret that is replaced does not live on in them.
 */
export function findDerived({ runnerSchema, actionSchema, stored, context, datastore }: FinalInput): ReadonlySet<string> {
	const plan = toPlan(runnerSchema, actionSchema);
	const isDerived = (name: string) => {
		const source = (other: string) => {
			const value = other !== name && Object.hasOwn(stored, other) ? (stored[other] ?? null) : null;
			return value === null ? plan.defaults.get(other) : { value, isRendered: false };
		};
		const rendering = new Rendering(plan.schema, { source, datastore, context: withEmptyContext(context) });
		try {
			return isDeepStrictEqual(rendering.resolve(name), stored[name]);
		} catch {
			// It could be rendered once; whatever has changed since, it is kept.
			return false;
		}
	};
	return new Set(plan.templated.filter((name) => Object.hasOwn(stored, name) && isDerived(name)));
}
