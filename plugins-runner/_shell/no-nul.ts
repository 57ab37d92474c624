import { SvcError } from "../../core/contract/index.ts";

/** Throws `SVC_INVALID` if the string contains a NUL, at which the process would truncate it. */
export function assertNoNul(parameter: string, text: string): void {
	if (text.includes("\0")) throw new SvcError("SVC_INVALID", `parameter "${parameter}" must not contain a NUL character`);
}
