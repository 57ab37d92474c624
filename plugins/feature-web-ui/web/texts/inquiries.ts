/** Texts of the pages about inquiries. */

export const question = "Question";
export const asked = "Recipients";
export const anyone = "anyone";
export const toRole = (role: string) => `role ${role}`;
export const timeLimit = "Time limit";
export const minutes = (count: number) => `${count} min`;
export const none = "No inquiry is waiting for an answer";
export const noneStep = "A workflow asks with the action `core.ask`, and continues when someone has answered here.";
export const answer = "Answer";
export const notAsked = "This inquiry asks other users: you may view it, but not answer it.";
export const anyAnswer = "Any answer.";
export const answered = "The inquiry is answered";
