/** Texts of the page about the audit log. */

export const entries = "Audit entries";
export const operation = "Operation";
export const kind = "Kind";
export const outcome = "Outcome";
export const after = "After";
export const before = "Before";
export const number = "Number";
export const subject = "Subject";
export const address = "Address";
export const credential = "Credential";
export const userHint = "a user";
export const nameHint = "pack.name";
export const unknownUser = "unknown";
export const noneFound = "No audit entry matches";

export const integrity = "Integrity";
export const verify = "Verify integrity";
export const verifying = "Verifying …";
export const signedEntry = "Signed up to entry";
export const signedAt = "Signed";
export const nothingSigned = "No entry is signed yet.";
export const checkpointStep =
	"The service compares the audit log with the checkpoints that it stores itself. To verify it with a checkpoint that is stored elsewhere, run `svc audit verify --checkpoint`.";
export const compared = (entries: number, checkpoints: number) =>
	`${entries} entries, compared with ${checkpoints} ${checkpoints === 1 ? "checkpoint" : "checkpoints"}`;
export const intact = (compared: string, keys: readonly string[]) =>
	`The audit log is intact: ${compared}${keys.length > 0 ? `, signed by ${keys.join(", ")}` : ""}.`;
export const changed = (compared: string) => `The audit log was changed or is damaged: ${compared}.`;
export const notShown = (count: number) => `${count} more findings are not shown.`;
