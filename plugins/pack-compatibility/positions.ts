import { isJsonObject, type JsonObject } from "../../core/contract/index.ts";

/**
 * Parameters whose positions go from 0 without gaps, in the order that they had: only the order counts for what they stand for. Positions
 * that cannot be ordered, as two are the same or one is no number, are left as they are, to be refused.
 */
export function closeGaps(parameters: JsonObject): JsonObject {
	const placed = Object.entries(parameters).flatMap(([name, definition]): [string, number][] => {
		const position = isJsonObject(definition) ? (definition["position"] ?? undefined) : undefined;
		return position === undefined ? [] : [[name, position as number]];
	});
	const positions = placed.map(([, position]) => position);
	const isOrder =
		new Set(positions).size === positions.length && positions.every((position) => Number.isInteger(position) && position >= 0);
	if (!isOrder || positions.every((position) => position < positions.length)) return parameters;
	const order = new Map([...placed].sort(([, a], [, b]) => a - b).map(([name], index) => [name, index]));
	return Object.fromEntries(
		Object.entries(parameters).map(([name, definition]) => {
			const position = order.get(name);
			return [name, position === undefined ? definition : { ...(definition as JsonObject), position }];
		}),
	);
}
