import type { Job } from "./test-plan.ts";

/** Files at most that are run a second time: where more fail it is no accident. */
const most = 2;

/** What these find is a broken promise, however rarely it is found: what is lost, started twice, left behind, or refused by a kit. */
const promises = /guarantees\/|chaos\/|fuzz\/|-suite\.test/;

/**
 * Which of the files that have failed are run once more, by themselves: a busy machine may have taken longer than a test waits. None
 * when one of them is about a promise, or when they are many.
 */
export function toSecondRun(failed: readonly Job[]): readonly Job[] {
	return failed.length > most || failed.some(({ name }) => promises.test(name)) ? [] : failed;
}
