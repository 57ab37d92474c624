import { render } from "preact";
import { App } from "./app.tsx";
import { startService } from "./kit/service.ts";
import { applyTheme } from "./parts/theme-choice.tsx";

applyTheme();
startService();
render(<App />, document.getElementById("app") as HTMLElement);
