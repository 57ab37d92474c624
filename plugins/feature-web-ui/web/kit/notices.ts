import { type ReadonlySignal, signal } from "@preact/signals";
import { isSvcError } from "../../../../core/contract/index.ts";
import * as texts from "../texts/frame.ts";
import { session, setWarningListener } from "./service.ts";

/** A message that is displayed to the user and announced by screen readers. */
export interface Notice {
	readonly id: number;
	readonly kind: "done" | "fault";
	readonly text: string;
}

const shownFor = 8_000;

/** The last four messages about the results of the user's actions. */
class Notices {
	readonly #list = signal<readonly Notice[]>([]);
	#last = 0;

	get list(): ReadonlySignal<readonly Notice[]> {
		return this.#list;
	}

	/** Shows a message. Success messages disappear after 8 s; errors stay until the user dismisses them. */
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
setWarningListener((text) => notices.say(texts.toWarning(text), "fault"));

/**
 * Runs an operation that the user requested. Shows `done` if it succeeds, unless `done` is empty; otherwise shows the error message.
 * Returns true on success.
 */
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
