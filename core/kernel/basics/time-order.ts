import type { Order } from "../../contract/index.ts";

/**
 * The order that is asked for, and what is equal in it by time: so the indexes go on by which long lists are sorted, and many equals need not be sorted to find
 * the first of them. Times and ids are equal in few.
 */
export function inTimeOrder<E>(asked: readonly Order<E>[], time: Order<E>[0]): readonly Order<E>[] {
	const [, direction = "asc"] = asked.at(-1) ?? [];
	return asked.some(([field]) => field === time || field === "id") ? asked : [...asked, [time, direction]];
}
