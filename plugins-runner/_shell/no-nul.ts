import { SvcError } from "../../core/contract/index.ts";

/** Refuse a text that would be cut at its NUL on the way to the process. */
export function assertNoNul(parameter: string, text: string): void {
	if (text.includes("\0")) throw new SvcError("SVC_INVALID", `parameter "${parameter}" must not hold a NUL character`);
}
