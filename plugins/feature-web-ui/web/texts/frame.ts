/** Texts around the pages: the header, the navigation, the sign-in form, and elements that every page uses. */

export const product = "svc";
export const toWindowTitle = (page: string) => `${page} · svc`;
export const navigation = "Pages";
export const skip = "Skip to the content";
export const signOut = "Sign out";
export const dismiss = "Dismiss";
export const theme = "Theme";
export const goTo = "Go to";
export const goToKey = "Ctrl K";
export const keys = "Keyboard shortcuts";
export const noPage = "This page does not exist";
export const noPageStep = "Go to the start page:";

export const liveStates = {
	off: "",
	connecting: "connecting",
	live: "live",
	lost: "connection lost, trying again",
	polled: "every 5 s",
} as const;
export const toWarning = (text: string) => `Warning: ${text}`;

export const signInTitle = "Sign in to svc";
export const user = "User";
export const password = "Password";
export const signIn = "Sign in";
export const signInWith = (provider: string) => `Sign in with ${provider}`;
export const signInByProxy = "Sign in through the proxy";
export const sessionHasEnded = "Your session has ended. Sign in to continue.";
/** By the value of the URL parameter `sign-in`, which the service sets after a failed single sign-on. */
export const singleSignOnProblems: Readonly<Record<string, string>> = {
	refused:
		"The sign-in was refused: it was not finished in this browser within ten minutes, or you may not sign in here. The log of the service says why.",
	unavailable: "The provider of the sign-in cannot be reached. Try again.",
};
export const noCookie =
	"The browser did not store the session: over plain HTTP it stores one only if api.auth_cookie_secure is false. Use HTTPS.";

export const chooseAll = "Choose all";
export const choose = (name: string) => `Choose ${name}`;
export const reason = "Reason (optional, stored with your name)";
export const filters = "Filters";
export const clear = "Clear";
export const any = "any";
export const pages = "Pages of the list";
export const previous = "Previous";
export const next = "Next";
export const noRows = "none on this page";
export const range = (first: number, last: number) => `${first}–${last}`;
export const total = (count: number, hasMore: boolean) => ` of ${count.toLocaleString("en")}${hasMore ? "+" : ""}`;
export const broken = (problem: string) => `this part of the page is broken: ${problem}`;
export const nothing = "nothing";
export const items = (count: number) => `${count} ${count === 1 ? "item" : "items"}`;
export const moreCharacters = (count: number) => `${count} more characters`;
export const expired = "expired";
export const remaining = (duration: string) => `in ${duration}`;
export const now = "now";
export const ago = (age: string) => `${age} ago`;

export const noRecords = "There are no records";
export const noRecordsStep = "Records are listed here when the feature has stored some.";
