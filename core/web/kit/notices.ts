import { type ReadonlySignal, signal } from "@preact/signals";
import { isSvcError } from "../../contract/errors.ts";
import { session, setWarningListener } from "./service.ts";

/** Something that is said to whoever looks, and to a screen reader. */
export interface Notice {
	readonly id: number;
	readonly kind: "done" | "fault";
	readonly text: string;
}

const shownFor = 8_000;

/** What is said about what somebody has done. */
class Notices {
	readonly #list = signal<readonly Notice[]>([]);
	#last = 0;

	get list(): ReadonlySignal<readonly Notice[]> {
		return this.#list;
	}

	/** Say it. What went well goes away by itself; a fault stays until it is put away. */
	say(text: string, kind: Notice["kind"] = "done"): void {
		this.#last += 1;
		const id = this.#last;
		this.#list.value = [...this.#list.value.slice(-3), { id, kind, text }];
		if (kind === "done") setTimeout(() => this.dismiss(id), shownFor);
	}

	dismiss(id: number): void {
		this.#list.value = this.#list.value.filter((notice) => notice.id !== id);
	}
}

export const notices = new Notices();
setWarningListener((text) => notices.say(`Warning: ${text}`, "fault"));

/** Do what somebody has asked for, and say how it went: `done` in words, or the service's own words why not. Whether it went well. */
export async function attempt<T>(act: () => Promise<T>, done: string | ((value: T) => string)): Promise<boolean> {
	try {
		const value = await act();
		const text = typeof done === "string" ? done : done(value);
		if (text !== "") notices.say(text);
		return true;
	} catch (error) {
		if (isSvcError(error, "SVC_UNAUTHORIZED")) session.end();
		else notices.say(error instanceof Error ? error.message : String(error), "fault");
		return false;
	}
}
