import type { Guard } from "../../http/guard.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { Resource } from "../../kernel/basics/resource.ts";

/** Who is to see something, and who says what they may. */
interface Asker {
	readonly guard: Guard;
	readonly principal: Principal;
}

/** What the guard was asked while something was shown, and its answer. */
interface Answer {
	readonly permission: string;
	readonly resource: Resource | undefined;
	readonly isAllowed: boolean;
}

/** Something as it is shown to everybody to whom the guard gives these answers. */
interface Shown {
	readonly isAdmin: boolean;
	readonly answers: readonly Answer[];
	readonly bytes: Uint8Array;
}

/**
 * What is shown of things, made once for all who may see the same of it: whoever asks is asked about again, and gets what was made for
 * somebody else only if every question of then has the same answer now.
 */
export class SharedFrames<T extends object> {
	/** In the order in which they were begun. Most things are shown once: for these there is one promise and no more. */
	readonly #shown = new WeakMap<T, Promise<Shown>[]>();

	of<C extends Asker>(thing: T, context: C, show: (context: C) => Promise<Uint8Array>): Promise<Uint8Array> {
		const known = this.#shown.get(thing);
		if (known !== undefined) return this.#among(known, context, show);
		const all: Promise<Shown>[] = [];
		this.#shown.set(thing, all);
		return add(all, context, show);
	}

	async #among<C extends Asker>(all: Promise<Shown>[], context: C, show: (context: C) => Promise<Uint8Array>): Promise<Uint8Array> {
		// More may come meanwhile.
		for (let index = 0; index < all.length; index += 1) {
			const shown = await all[index]?.catch(() => undefined);
			if (shown !== undefined && isFor(shown, context)) return shown.bytes;
		}
		return add(all, context, show);
	}
}

async function add<C extends Asker>(all: Promise<Shown>[], context: C, show: (context: C) => Promise<Uint8Array>): Promise<Uint8Array> {
	const making = make(context, show);
	all.push(making);
	try {
		return (await making).bytes;
	} catch (error) {
		all.splice(all.indexOf(making), 1);
		throw error;
	}
}

async function make<C extends Asker>(context: C, show: (context: C) => Promise<Uint8Array>): Promise<Shown> {
	const { guard, principal } = context;
	const answers: Answer[] = [];
	const noting: Guard = {
		...guard,
		allows(asked, permission, resource) {
			const isAllowed = guard.allows(asked, permission, resource);
			answers.push({ permission, resource, isAllowed });
			return isAllowed;
		},
	};
	const bytes = await show({ ...context, guard: noting });
	return { isAdmin: principal.isAdmin, answers, bytes };
}

function isFor({ isAdmin, answers }: Shown, { guard, principal }: Asker): boolean {
	return (
		isAdmin === principal.isAdmin &&
		answers.every(({ permission, resource, isAllowed }) => guard.allows(principal, permission, resource) === isAllowed)
	);
}
