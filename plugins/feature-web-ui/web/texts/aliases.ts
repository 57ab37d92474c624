/** Texts of the pages about aliases. */

export const formats = "Command formats";
export const representations = "Matched as";
export const noneFound = "No alias matches";
export const none = "There are no aliases";
export const noneStep = "Aliases come with packs: they define what people write in a chat to run an action. Install a pack that has some.";
export const acknowledgement = "Reply when the action starts";
export const resultReply = "Reply when the action has ended";
export const immutableParameters = "Parameters that commands cannot set";
