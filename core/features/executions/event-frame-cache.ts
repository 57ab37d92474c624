import type { AccessGuard } from "../../http/access-guard.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { Resource } from "../../kernel/basics/refs.ts";
import { PrivateSlot } from "../../lib/private-slot.ts";

/** A client's principal, and the authorizer that checks its permissions. */
interface FrameClient {
	readonly guard: AccessGuard;
	readonly principal: Principal;
}

type Later<T> = Promise<T> | T;

/** Permission check made while an event was serialized, and its result. */
interface Answer {
	readonly permission: string;
	readonly resource: Resource | undefined;
	readonly isAllowed: boolean;
}

/** Serialized event for all clients for which the authorizer gives these answers. */
interface Shown {
	readonly isAdmin: boolean;
	readonly answers: readonly Answer[];
	readonly bytes: Uint8Array;
}

/**
 * Caches serialized events. A client gets a cached one only if all permission checks made for the first client give the same results
 * for this one.
 */
export class EventFrameCache<T extends object> {
	/** Serialized forms of each event, in the order in which they were requested. Most events have one, made synchronously. */
	readonly #shown = new PrivateSlot<T, Later<Shown>[]>();

	of<C extends FrameClient>(thing: T, context: C, show: (context: C) => Later<Uint8Array>): Later<Uint8Array> {
		const known = this.#shown.get(thing);
		if (known !== undefined) return this.#among(known, context, show);
		const all: Later<Shown>[] = [];
		this.#shown.set(thing, all);
		return add(all, context, show);
	}

	async #among<C extends FrameClient>(all: Later<Shown>[], context: C, show: (context: C) => Later<Uint8Array>): Promise<Uint8Array> {
		// Use an index: other clients may append to the list while this one waits.
		for (let index = 0; index < all.length; index += 1) {
			const shown = await orNothing(all[index]);
			if (shown !== undefined && isFor(shown, context)) return shown.bytes;
		}
		return add(all, context, show);
	}
}

function orNothing(shown: Later<Shown> | undefined): Later<Shown | undefined> {
	return shown instanceof Promise ? shown.catch(() => undefined) : shown;
}

function add<C extends FrameClient>(all: Later<Shown>[], context: C, show: (context: C) => Later<Uint8Array>): Later<Uint8Array> {
	const making = make(context, show);
	all.push(making);
	return making instanceof Promise ? toBytes(all, making) : making.bytes;
}

async function toBytes(all: Later<Shown>[], making: Promise<Shown>): Promise<Uint8Array> {
	try {
		return (await making).bytes;
	} catch (error) {
		all.splice(all.indexOf(making), 1);
		throw error;
	}
}

function make<C extends FrameClient>(context: C, show: (context: C) => Later<Uint8Array>): Later<Shown> {
	const { guard, principal } = context;
	const answers: Answer[] = [];
	const noting: AccessGuard = {
		...guard,
		allows(asked, permission, resource) {
			const isAllowed = guard.allows(asked, permission, resource);
			answers.push({ permission, resource, isAllowed });
			return isAllowed;
		},
	};
	const toShown = (bytes: Uint8Array): Shown => ({ isAdmin: principal.isAdmin, answers, bytes });
	const bytes = show({ ...context, guard: noting });
	return bytes instanceof Promise ? bytes.then(toShown) : toShown(bytes);
}

function isFor({ isAdmin, answers }: Shown, { guard, principal }: FrameClient): boolean {
	return (
		isAdmin === principal.isAdmin &&
		answers.every(({ permission, resource, isAllowed }) => guard.allows(principal, permission, resource) === isAllowed)
	);
}
