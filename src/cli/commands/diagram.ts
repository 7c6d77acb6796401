// `kubeseq diagram`, also plain `kubeseq CAPTURE...`, draws a sequence diagram.

import type { WriteStream } from 'node:tty';
import {
  arrowsOf,
  buildSequence,
  ChangeWords,
  criticalPaths,
  DEFAULT_LAYERS,
  firstLook,
  foldAnswers,
  forTalk,
  HistoryBuilder,
  type Message,
  MessageLinker,
  type Notice,
  type Observation,
  pathMarks,
  type Roster,
  renderText,
  type Sequence,
  shortLabels,
  touching,
} from '../../index.js';
import { CliError } from '../cli-error.js';
import type { Command } from '../command.js';
import { FORMATS, type Format, namesOf } from '../formats.js';
import { diagramOptions, optionsOf } from '../input/diagram.js';
import { MessageChoice, type ObservedPart } from '../input/message-choice.js';
import { Session } from '../input/session.js';
import {
  capturesOf,
  checkSelection,
  followOf,
  isLive,
  isSelecting,
  layersOf,
  storyOf,
  takesAll,
} from '../option-values.js';
import type { DiagramCliOptions } from '../options.js';
import { LiveScreen } from '../output/live-screen.js';
import { whyNoPath } from '../output/no-path.js';
import type { DrawnDiagram } from '../output/results.js';
import { refuseUnknownOrder, rosterOf } from '../participants.js';
import { endOf } from '../unread.js';

type DiagramFormat = Format<DrawnDiagram>;

export interface DiagramCommandOptions extends DiagramCliOptions {
  /** undefined: an overview where several stories have many arrows. */
  readonly overview?: boolean;
  readonly answers?: 'drawn' | 'folded';
  readonly detail?: 'low' | 'normal' | 'full' | 'talk';
  readonly users?: boolean;
  readonly wide?: true;
  readonly labels?: 'full' | 'short' | 'changes';
  /** Mark the critical path of the followed object. */
  readonly path?: true;
}

export const diagram: Command<[files: readonly string[]], DiagramCommandOptions, DrawnDiagram> = {
  formats: FORMATS.diagram,
  // A person reads what the terminal shows; a file or a pipe is for a program that draws.
  usual: (_, isForTerminal) => (isForTerminal ? 'text' : 'mermaid'),
  async run([files], given, { name, format, isForTerminal, streams }) {
    const options = { ...DETAILS[given.detail ?? 'normal'], ...given };
    checkSelection(options);
    checkOverview(name, format, options);
    const keysGrow = isLive(capturesOf(files, options), options);
    const bodies = format.hasBodies === true;
    const isPicture = format.isPicture === true;
    const history = pathHistoryOf(options, name, format);
    const changes = options.labels === 'changes' && isPicture ? new ChangeWords() : null;
    const session = new Session(files, {
      ...options,
      live: false,
      keysGrow,
      growing: options.live,
      bodies: bodies || changes !== null || history !== null,
      lives: bodies || history !== null,
    });
    const screen = options.live === true ? streams.terminal : null;
    const roster = options.participants === undefined ? null : rosterOf(options);
    const drawn = { all: options.all, layers: layersOf(options) };
    const choice = new MessageChoice(options, session, { bodies: bodies || history !== null, drawn });
    const { observation, selected } = await gather(session, options, screen, {
      ...{ choice, bodies, observers: [changes, history].filter((one) => one !== null), roster },
    });
    if (!session.interrupted) refuseUnknownOrder(options, () => roster);
    const life = history?.result();
    const path = life === undefined ? undefined : criticalPaths(observation.messages, life, {}).flatMap(pathMarks);
    const drawing = { ...optionsOf(options), users: options.users, path, selected };
    const complete = isFirstLook(name, format, options)
      ? firstLook(observation, drawing, { isWanted: options.overview, form: name === 'text' ? 'arrows' : 'table' })
      : buildSequence(observation, drawing);
    const isShort = options.labels === 'short' || options.labels === 'changes';
    const worded = isShort && isPicture ? shortLabels(complete, changes?.words) : complete;
    const folded = options.answers === 'folded' && isPicture ? foldAnswers(worded) : worded;
    const sequence = options.detail === 'talk' && isPicture ? forTalk(folded) : folded;
    const said: string[] = [];
    return {
      result: {
        ...{ sequence, observation, drawing, names: session.names, isAll: choice.isAll },
        story: storyOf(options, name),
        ...{ frames: options.frames, wide: options.wide },
        hint: isForTerminal && options.output === undefined ? PICTURE_HINT : '',
        remark: (text) => void said.push(text),
      },
      captures: session,
      end() {
        choice.close();
        const remarks = [...said, ...session.remarks(drawnTouches(sequence, observation, options))];
        if (path?.length === 0 && life !== undefined && life.incarnations.length > 0)
          remarks.push(`${options.follow}: ${whyNoPath(`${options.follow}`, life)}`);
        // A selection may leave nothing of what is there.
        const isEmpty = sequence.drawn === 0 && sequence.total > 0;
        const isAbsent = isEmpty && options.follow !== undefined && !isSelecting(options);
        if (isEmpty) remarks.push(...choice.elsewhere(observation.messages));
        return endOf(session, options, [...remarks, ...choice.unknownNames()], isAbsent);
      },
    };
  },
};

/** What --detail stands for; what is given beside it counts. */
const DETAILS: Readonly<Record<NonNullable<DiagramCommandOptions['detail']>, Partial<DiagramCommandOptions>>> = {
  low: { labels: 'short', answers: 'folded' },
  normal: {},
  full: { users: true, frames: true },
  talk: { labels: 'short', answers: 'folded' },
};

/** null: no path is asked for. */
function pathHistoryOf(options: DiagramCommandOptions, name: string, format: DiagramFormat): HistoryBuilder | null {
  if (options.path !== true) return null;
  const follow = followOf(options);
  if (follow === undefined) throw new CliError('--path marks the critical path of one object: give it with --follow');
  if (format.hasBodies !== true && format.isPicture !== true)
    throw new CliError(`--path marks a diagram, which -o ${name} is not; kubeseq path prints it`);
  return new HistoryBuilder(follow);
}

/** The user asks for nothing in particular. Markdown has everything in parts, after an overview of its own. */
function isFirstLook(name: string, { isPicture }: DiagramFormat, options: DiagramCommandOptions): boolean {
  if (options.overview !== undefined) return options.overview;
  const isChosen = CHOOSING.some((name) => options[name] !== undefined) || options.by !== 'controller';
  return !isChosen && !isSelecting(options) && isPicture === true && name !== 'markdown';
}

function checkOverview(name: string, { isPicture }: DiagramFormat, options: DiagramCommandOptions): void {
  if (options.overview !== true) return;
  const other = CHOOSING.find((name) => options[name] !== undefined);
  if (other !== undefined || isSelecting(options))
    throw new CliError(`--overview shows all stories: not with ${other === undefined ? 'a selection' : `--${other}`}`);
  if (isPicture === true) return;
  const pictures = Object.entries(FORMATS.diagram).filter(([, one]) => one.isPicture === true);
  throw new CliError(`--overview is a diagram: -o ${namesOf(Object.fromEntries(pictures), ' or ')}, not ${name}`);
}

/** What takes each message as it is read. */
interface Gathering {
  readonly choice: MessageChoice;
  /** Messages need their bodies at the end. */
  readonly bodies: boolean;
  /** Those that need bodies while messages are read. */
  readonly observers: readonly (ChangeWords | HistoryBuilder)[];
  readonly roster: Roster | null;
}

/** @param terminal shows the diagram while messages arrive; null: none does. */
async function gather(
  session: Session,
  options: DiagramCommandOptions,
  terminal: WriteStream | null,
  { choice, bodies, observers, roster }: Gathering,
): Promise<ObservedPart> {
  const requests = new MessageLinker();
  const add = (message: Message): void => {
    for (const one of observers) one.feed(message);
    roster?.observe(message);
    // Bodies are as large as the capture.
    const isWhole = bodies || observers.length === 0 || message.details === undefined;
    choice.add(requests.link(isWhole ? message : { ...message, details: undefined }));
  };
  try {
    if (terminal !== null) {
      const optionsFor = diagramOptions(options, session);
      const draw = (so: readonly Message[]): Sequence =>
        buildSequence({ messages: so, notices: session.notices }, optionsFor(so));
      const text = (so: readonly Message[]): string => renderText(draw(so), { first: session.firstTime ?? 0n });
      for (const message of await watched(session, terminal, text)) add(message);
    } else await session.eachMessage(add);
    // Not closed yet: the diagram reads from the temporary file when a server that failed answered again.
    return choice.gathered();
  } catch (error) {
    choice.close();
    throw error;
  }
}

/** Selects notices that concern drawn messages. */
function drawnTouches(
  { steps }: Sequence,
  observation: Observation,
  options: DiagramCommandOptions,
): (one: Notice) => boolean {
  const isAll = takesAll(options);
  const chosen = isAll ? null : arrowsOf(steps).map(({ message }) => message);
  return touching({ ...observation, chosen, layers: layersOf(options) ?? DEFAULT_LAYERS });
}

/** Redraws the diagram while messages arrive. */
async function watched(
  session: Session,
  terminal: WriteStream,
  text: (messages: readonly Message[]) => string,
): Promise<Message[]> {
  const messages: Message[] = [];
  const screen = new LiveScreen(terminal, () => text(messages));
  for await (const batch of session.run()) {
    const before = messages.length;
    for (const item of batch) if (item.kind === 'message') messages.push(item.message);
    if (messages.length > before) screen.changed();
  }
  screen.close();
  return messages;
}

const CHOOSING = ['follow', 'all', 'layers'] as const;
const PICTURE_HINT = '\nA picture: -w story.svg; a page to look into: -w story.html; mermaid: -o mermaid.\n';
